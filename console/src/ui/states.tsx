import type { ReactNode } from 'react'
import { describeError } from '../api/describe-error.ts'
import { t } from '../language/language.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: ReactNode
  /** The next step. */
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-14 text-center">
      <span className="rounded-full bg-sunken p-3 text-muted">
        <Icon name={icon} className="size-6" />
      </span>
      <div className="text-base font-semibold">{title}</div>
      {children !== undefined && <div className="max-w-md text-muted">{children}</div>}
      {action}
    </div>
  )
}

interface ErrorStateProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

/** An error and the next step, shown instead of content that could not be loaded. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { title, advice } = describeError(error)
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <span className="rounded-full bg-bad-soft p-3 text-bad">
        <Icon name="warning" className="size-6" />
      </span>
      <p className="text-base font-semibold">{title}</p>
      {advice !== undefined && <p className="max-w-md text-muted">{advice}</p>}
      {onRetry !== undefined && (
        <Button icon="refresh" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </div>
  )
}

interface BannerProps {
  readonly tone: 'warn' | 'bad' | 'accent' | 'good'
  readonly children: ReactNode
  readonly action?: ReactNode
}

const banners = {
  warn: ['bg-warn-soft text-warn', 'warning'],
  bad: ['bg-bad-soft text-bad', 'warning'],
  accent: ['bg-accent-soft text-accent', 'info'],
  good: ['bg-good-soft text-good', 'check'],
} as const

/** A message above the content that it is about. */
export function Banner({ tone, children, action }: BannerProps) {
  const [look, icon] = banners[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-start gap-2.5 rounded-lg px-3 py-2.5 ${look}`}
    >
      <Icon name={icon} className="mt-px size-4.5" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {action}
    </div>
  )
}

/** Placeholder bars with the height of the text that is loading. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label={t('common.loading')}
      className="animate-pulse-soft space-y-3 p-4"
    >
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className="h-4 rounded bg-sunken odd:w-full even:w-4/5" />
      ))}
    </div>
  )
}
