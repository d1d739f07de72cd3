# ruby formula.rb FORMULA SYSTEM CPU: runs a formula with a simulation of Homebrew, in the unpacked archive; prints the address that it
# chooses and what it installs, as JSON.
require "json"

file, SYSTEM, CPU = ARGV
INSTALLED = Hash.new { |all, where| all[where] = [] }

# A folder into which a formula installs.
class Place
  def initialize(name)
    @name = name
  end

  def install(*what)
    what.flatten.each { |one| INSTALLED[@name].concat(one.is_a?(Hash) ? one.keys : [one]) }
  end
end

class Formula
  class << self
    attr_reader :chosen

    %i[desc homepage version license].each { |name| define_method(name) { |_value| } }
    def url(value) = (@chosen = value if @here)
    def sha256(_value); end
    def test; end
    %w[macos linux].each { |name| define_method("on_#{name}") { |&block| within(name == SYSTEM, &block) } }
    %w[arm intel].each { |name| define_method("on_#{name}") { |&block| within(@here && name == CPU, &block) } }

    def within(here)
      before = @here
      @here = here
      yield
      @here = before
    end
  end

  %w[bin man1 bash_completion zsh_completion fish_completion pwsh_completion].each do |name|
    define_method(name) { Place.new(name) }
  end
end

require File.expand_path(file)
Hotplate.new.install
puts JSON.generate(url: Hotplate.chosen, installed: INSTALLED)
