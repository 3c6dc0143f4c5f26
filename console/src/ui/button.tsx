import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import { t } from '../language/language.ts'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

type Variant = 'primary' | 'plain' | 'quiet' | 'danger'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: Variant
  readonly icon?: IconName
  readonly isSmall?: boolean
  /** Work is in progress: the button shows that and does nothing. It keeps the focus, which a disabled one loses. */
  readonly isBusy?: boolean
  /** Other work is in progress: the button does nothing until then. It keeps the focus as well. */
  readonly isWaiting?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

const looks: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent-solid text-white hover:bg-accent-hover border-transparent shadow-lift',
  plain: 'bg-surface text-ink hover:bg-hover border-line-strong/60',
  quiet: 'bg-transparent text-ink hover:bg-hover border-transparent',
  danger: 'bg-bad-solid text-white hover:brightness-110 border-transparent shadow-lift',
}

export function buttonClass(variant: Variant, isSmall = false): string {
  return classNames(
    'inline-flex items-center justify-center gap-1.5 rounded-lg border font-medium whitespace-nowrap transition-colors',
    'disabled:opacity-55 disabled:hover:bg-none aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
    isSmall ? 'min-h-8 px-2.5 text-[0.8125rem]' : 'min-h-9 px-3.5 text-sm',
    looks[variant],
  )
}

export function Button({
  variant = 'plain',
  icon,
  isSmall,
  isBusy = false,
  isWaiting = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const isIdle = isBusy || isWaiting
  return (
    <button
      type="button"
      {...rest}
      onClick={isIdle ? ignoreClick : onClick}
      aria-disabled={isIdle || undefined}
      aria-busy={isBusy || undefined}
      className={classNames(buttonClass(variant, isSmall), className)}
    >
      {isBusy ? <Spinner /> : icon !== undefined && <Icon name={icon} className="size-4" />}
      {children}
    </button>
  )
}

/** Keeps a click from sending the form of the button, too. */
function ignoreClick(event: MouseEvent): void {
  event.preventDefault()
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> {
  readonly icon: IconName
  /** The name of the action, for the tooltip and for screen readers. */
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classNames(
        'inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-muted transition-colors',
        'hover:bg-hover hover:text-ink disabled:opacity-50',
        className,
      )}
    >
      <Icon name={icon} />
    </button>
  )
}

export function Spinner() {
  return (
    <span
      role="status"
      aria-label={t('common.working')}
      className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  )
}
