import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-muted',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
}

const dots: Readonly<Record<Tone, string>> = {
  neutral: 'bg-line-strong',
  good: 'bg-good-solid',
  warn: 'bg-warn-solid',
  bad: 'bg-bad-solid',
  accent: 'bg-accent-solid',
}

interface BadgeProps {
  readonly tone?: Tone
  readonly title?: string
  /** Whether a long text is broken into lines instead of cut: names often differ only at their end. */
  readonly isWhole?: boolean
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', title, isWhole = false, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex max-w-full items-center rounded-md px-1.5 py-0.5 text-xs font-medium',
        tones[tone],
      )}
    >
      <span className={isWhole ? 'min-w-0 break-all' : 'truncate'}>{children}</span>
    </span>
  )
}

/** A state in words with a colored dot. The color adds no information. */
export function StatusText({ tone = 'neutral', children }: BadgeProps) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden="true" className={classNames('size-2 shrink-0 rounded-full', dots[tone])} />
      <span className="truncate">{children}</span>
    </span>
  )
}
