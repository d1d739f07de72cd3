;;; What somebody does in Emacs with lsp-mode: opens a template, edits it, and chooses the lens.  -*- lexical-binding: t -*-

(require 'json)

(defun session-wait (what condition)
  "Wait until CONDITION is true, or fail because of WHAT."
  (let ((end (time-add nil 60)))
    (while (not (funcall condition))
      (when (time-less-p end nil) (error "No %s" what))
      (accept-process-output nil 0.05))))

(defun session-findings ()
  (seq-filter (lambda (it) (string-suffix-p "stacks/shop.yaml" (car it)))
              (let (found) (maphash (lambda (file list) (push (cons file list) found)) (lsp-diagnostics t)) found)))

(find-file "stacks/shop.yaml")
(session-wait "findings" #'session-findings)

(let ((findings (mapcar (lambda (it) (car (split-string (lsp:diagnostic-message it) "\n"))) (cdar (session-findings))))
      lenses reasons)
  (goto-char (point-min))
  (search-forward "availability_zone: {get_param: zone}")
  (replace-match "availability_zone: other")
  (setq lenses (mapcar #'lsp:code-lens-command?
                       (lsp-request "textDocument/codeLens" (list :textDocument (lsp--text-document-identifier)))))
  (cl-letf (((symbol-function 'message) (lambda (format &rest arguments) (setq reasons (apply #'format-message format arguments)))))
    (lsp--execute-command (car lenses)))
  (princ (json-encode `((findings . ,(vconcat (sort findings #'string<)))
                        (lenses . ,(vconcat (mapcar #'lsp:command-title lenses)))
                        (reasons . ,(vconcat (split-string reasons "\n")))))))

(kill-emacs 0)
