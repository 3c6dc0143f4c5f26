import * as RadixDialog from '@radix-ui/react-dialog'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { findOpener, rememberOpener, returnFocus } from './return-focus.ts'
import { TypedFormsContext, useTypedForms } from './typed-forms.ts'

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly description?: ReactNode
  /** `side` is a sheet at the edge that leaves the list visible. */
  readonly shape?: 'centre' | 'wide' | 'side'
  /** Whether clicks outside do not close the dialog, because content that is shown only once would be lost. */
  readonly isSticky?: boolean
  /** Whether the content is a text without controls. It can have the focus then, so that arrow keys scroll it. */
  readonly isText?: boolean
  /** Whether closing the dialog asks for confirmation if a form has unsent values. */
  readonly asksToDiscard?: boolean
  readonly children: ReactNode
}

const frames = {
  centre: 'sm:max-w-lg sm:rounded-xl sm:border sm:max-h-[min(46rem,calc(100dvh-5rem))] animate-rise',
  wide: 'sm:max-w-3xl sm:rounded-xl sm:border sm:max-h-[calc(100dvh-5rem)] animate-rise',
  side: 'sm:ml-auto sm:h-dvh sm:max-w-2xl sm:border-l animate-slide-in',
} as const

const BODY =
  'min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4 wrap-break-word focus-visible:-outline-offset-2'

/**
 * A dialog that traps the focus and returns it. It starts at a fixed height, so that content that grows does not move
 * it, and its buttons are always visible. The library hides the page below from screen readers. `aria-modal` tells
 * screen readers, and tools that check for hidden links, that nothing there can have the focus. The library's own
 * backdrop is not used, as its scroll lock needs styles that the policy of the page refuses.
 */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  shape = 'centre',
  isSticky = false,
  isText = false,
  asksToDiscard = true,
  children,
}: DialogProps) {
  const { forms, close, question } = useClosing(onClose, asksToDiscard)
  const opener = useOpener(isOpen)
  return (
    <RadixDialog.Root open={isOpen} onOpenChange={(next) => next || close()}>
      <RadixDialog.Portal>
        <div className="fixed inset-0 z-40 animate-appear bg-shade" aria-hidden="true" />
        <div
          className={classNames(
            'fixed inset-0 z-40 flex',
            shape === 'side' ? '' : 'items-start justify-center sm:pt-12',
          )}
        >
          <RadixDialog.Content
            ref={(content) => rememberOpener(content, opener.current)}
            aria-modal="true"
            onInteractOutside={(event) => {
              if (isSticky || isInToasts(event.target)) event.preventDefault()
            }}
            onOpenAutoFocus={focusWhole}
            onCloseAutoFocus={() => returnFocus(opener.current)}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
            className={classNames(
              'flex h-full w-full flex-col overflow-hidden border-line bg-surface shadow-float outline-none',
              shape !== 'side' && 'sm:h-auto',
              frames[shape],
            )}
          >
            <DialogHead title={title} description={description} />
            <div data-dialog-body tabIndex={isText ? 0 : undefined} className={BODY}>
              <TypedFormsContext value={forms}>{children}</TypedFormsContext>
            </div>
            {question}
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

function DialogHead({ title, description }: Pick<DialogProps, 'title' | 'description'>) {
  return (
    <header className="flex items-start gap-3 border-b border-line py-3 pr-2.5 pl-5">
      <div className="min-w-0 flex-1 pt-1">
        <RadixDialog.Title className="text-base font-semibold break-words">{title}</RadixDialog.Title>
        {description !== undefined && (
          <RadixDialog.Description className="mt-0.5 text-muted">{description}</RadixDialog.Description>
        )}
      </div>
      <RadixDialog.Close asChild>
        <IconButton icon="close" label={t('common.close')} />
      </RadixDialog.Close>
    </header>
  )
}

/**
 * The element that has the focus when a dialog opens. The library returns the focus only to a trigger of its own,
 * which these dialogs do not have. It is read before the dialog is rendered, as a field in it may take the focus at
 * once.
 */
function useOpener(isOpen: boolean) {
  const opener = useRef<Element>(null)
  const wasOpen = useRef(false)
  if (isOpen && !wasOpen.current) opener.current = findOpener()
  wasOpen.current = isOpen
  return opener
}

/** Closes a dialog, after a confirmation if a form in it has unsent values. */
function useClosing(onClose: () => void, asksToDiscard: boolean) {
  const forms = useTypedForms()
  const [isAsking, setAsking] = useState(false)
  const focused = useRef<Element>(null)
  const close = () => {
    if (!asksToDiscard || forms.size === 0) return onClose()
    focused.current = document.activeElement
    setAsking(true)
  }
  const keepEditing = () => {
    setAsking(false)
    requestAnimationFrame(() => focused.current instanceof HTMLElement && focused.current.focus())
  }
  const discard = () => {
    for (const forget of forms) forget()
    setAsking(false)
    onClose()
  }
  const question = isAsking && <DiscardQuestion onKeep={keepEditing} onDiscard={discard} />
  return { forms, close, question }
}

/**
 * A toast belongs to no page. Using its button closes no dialog and follows the button's link. The button is already
 * removed from the page when the dialog is notified of the click.
 */
function isInToasts(target: EventTarget | null): boolean {
  return target instanceof Element && (!target.isConnected || target.closest('[data-toasts]') !== null)
}

/** Focuses the dialog itself if no field asks for the focus, so that screen readers read it from its start. */
function focusWhole(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
}

interface DiscardQuestionProps {
  readonly onKeep: () => void
  readonly onDiscard: () => void
}

function DiscardQuestion({ onKeep, onDiscard }: DiscardQuestionProps) {
  return (
    <Dialog isOpen onClose={onKeep} title={t('form.discard.title')} description={t('form.discard.why')}>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onKeep} autoFocus>
          {t('form.discard.keep')}
        </Button>
        <Button variant="danger" onClick={onDiscard}>
          {t('form.discard')}
        </Button>
      </div>
    </Dialog>
  )
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <div data-dialog-actions className="mt-6 flex flex-wrap justify-end gap-2">
      {children}
    </div>
  )
}
