;;; What somebody does in Emacs with eglot: opens a template, looks at what is shown, and edits. Prints what there is to see as JSON.  -*- lexical-binding: t -*-

(require 'json)

(defun session-wait (what condition)
  "Wait until CONDITION is true, or fail because of WHAT."
  (let ((end (time-add nil 60)))
    (while (not (funcall condition))
      (when (time-less-p end nil) (error "No %s" what))
      (accept-process-output nil 0.05))))

(defun session-request (method params)
  (jsonrpc-request (eglot-current-server) method params :timeout 60))

(defun session-at (text)
  "Move behind TEXT."
  (goto-char (point-min))
  (search-forward text))

(find-file "stacks/shop.yaml")
;; There is no command loop without a terminal, and eglot starts in it.
(run-hooks 'post-command-hook)
(session-wait "connection" (lambda () (and (eglot-managed-p) (eglot-current-server))))
(flymake-start)
(session-wait "findings" #'flymake-diagnostics)

(let ((findings (mapcar (lambda (it) (car (split-string (flymake-diagnostic-text it) "\n"))) (flymake-diagnostics)))
      hover completion)
  (session-at "availability_z")
  (let ((contents (plist-get (session-request :textDocument/hover (eglot--TextDocumentPositionParams)) :contents)))
    (setq hover (car (split-string (plist-get contents :value) "\n"))))
  (session-at "availability_zone: {get_param: ")
  (delete-char (length "zone"))
  (eglot--signal-textDocument/didChange)
  ;; The table of completions, as `completion-at-point' gets it.
  (let ((table (nth 2 (eglot-completion-at-point))))
    (setq completion (sort (mapcar #'substring-no-properties (all-completions "" table)) #'string<)))
  (unless (and (member "flavor" completion) (member "zone" completion)) (error "No parameters in %s" completion))
  (princ (json-encode `((findings . ,(vconcat (sort findings #'string<))) (hover . ,hover) (completion . ,(vconcat completion))))))

(kill-emacs 0)
