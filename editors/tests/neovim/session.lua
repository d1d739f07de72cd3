-- What somebody does in Neovim: opens a template, looks at what is shown, and edits. Prints what there is to see as JSON.

local patience = 60000
local seen = {}

local function wait_for(what, condition)
  if not vim.wait(patience, condition, 50) then
    error("no " .. what)
  end
end

local function first_line(text)
  return vim.split(text, "\n")[1]
end

local function row_of(text)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return row, column - 1
    end
  end
end

local function params(text, offset)
  local row, column = row_of(text)
  vim.api.nvim_win_set_cursor(0, { row, column + offset })
  return vim.lsp.util.make_position_params(0, "utf-8")
end

local function answer(method, parameters)
  for _, response in pairs(vim.lsp.buf_request_sync(0, method, parameters, patience) or {}) do
    if response.result then
      return response.result
    end
  end
end

local function replace(text, by)
  local row = row_of(text)
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1]
  local from, to = line:find(text, 1, true)
  vim.api.nvim_buf_set_lines(0, row - 1, row, false, { line:sub(1, from - 1) .. by .. line:sub(to + 1) })
end

local function session()
  vim.cmd("edit stacks/shop.yaml")
  wait_for("findings", function()
    return #vim.diagnostic.get(0) > 0
  end)
  seen.findings = vim.tbl_map(function(it)
    return ("%d: %s %s"):format(it.lnum + 1, it.code, first_line(it.message))
  end, vim.diagnostic.get(0))

  local contents = answer("textDocument/hover", params("availability_zone:", 3)).contents
  seen.hover = first_line(contents.value)

  replace("availability_zone: {get_param: zone}", "availability_zone: {get_param: }")
  local completion = answer("textDocument/completion", params("availability_zone: {get_param: }", #"availability_zone: {get_param: "))
  seen.completion = vim.tbl_map(function(it)
    return it.label
  end, completion.items or completion)
  table.sort(seen.completion)

  replace("availability_zone: {get_param: }", "availability_zone: other")
  -- The settings of the page ask for lenses when the cursor rests or the text changes; no such event occurs without a screen.
  vim.cmd("doautocmd TextChanged")
  local function lenses()
    return vim.tbl_filter(function(it)
      return it.command and it.command.command == "hotplate.showImpact"
    end, vim.lsp.codelens.get(vim.api.nvim_get_current_buf()))
  end
  wait_for("lens", function()
    return #lenses() > 0
  end)
  seen.lenses = vim.tbl_map(function(it)
    return ("%d: %s"):format(it.range.start.line + 1, it.command.title)
  end, lenses())

  -- The lens of this line, as somebody chooses it.
  vim.api.nvim_win_set_cursor(0, { lenses()[1].range.start.line + 1, 0 })
  vim.ui.select = function(items, _, chosen)
    chosen(items[1], 1)
  end
  vim.lsp.codelens.run()
  local window
  wait_for("window with the reasons", function()
    for _, it in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(it).relative ~= "" then
        window = it
      end
    end
    return window ~= nil
  end)
  seen.reasons = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
end

local is_done, why = xpcall(session, debug.traceback)
if not is_done then
  io.stderr:write(why .. "\n")
  vim.cmd("cquit")
end
io.stdout:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
vim.cmd("qall!")
