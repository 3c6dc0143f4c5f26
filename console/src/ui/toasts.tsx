import { useSyncExternalStore } from 'react'
import { ChangeListeners } from '../browser/change-listeners.ts'
import { t } from '../language/language.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

const SHOWN_MS = 6_000
const MAX_SHOWN = 3

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new ChangeListeners()

function change(next: readonly Toast[]): void {
  toasts = next
  listeners.notify()
}

/** Shows a toast that something is done. A toast about a failure stays until the user closes it. */
export function showToast(text: string, more: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  lastId += 1
  const toast: Toast = { id: lastId, tone: 'good', text, ...more }
  change([...toasts, toast].slice(-MAX_SHOWN))
  if (toast.tone === 'good') setTimeout(() => expire(toast.id), SHOWN_MS)
}

/** Closes a toast, but not under the pointer or the focus of a user who is about to press its button. */
function expire(id: number): void {
  const isHeld = document.querySelector(`[data-toast="${id}"]:is(:hover, :focus-within)`) !== null
  if (isHeld) setTimeout(() => expire(id), SHOWN_MS)
  else close(id)
}

function close(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

/** Closes all toasts. */
export function closeToasts(): void {
  change([])
}

/** Toasts in a corner, above the bottom row of dialogs and sheets, which has their buttons. */
export function Toasts() {
  const shown = useSyncExternalStore(listeners.subscribe, () => toasts)
  return (
    <div
      data-toasts
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-24 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text, action }) => (
        <div
          key={id}
          data-toast={id}
          className="pointer-events-auto flex max-w-md animate-rise items-center gap-2.5 rounded-lg border border-line bg-surface py-2 pr-1.5 pl-3 shadow-float"
        >
          <span className={tone === 'bad' ? 'text-bad' : 'text-good'}>
            <Icon name={tone === 'bad' ? 'warning' : 'check'} />
          </span>
          <p className="min-w-0 break-words">{text}</p>
          {action !== undefined && (
            <Button
              isSmall
              variant="quiet"
              onClick={() => {
                close(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon="close" label={t('common.close')} onClick={() => close(id)} />
        </div>
      ))}
    </div>
  )
}
