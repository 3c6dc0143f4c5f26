import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface CardProps {
  readonly title?: ReactNode
  /** Controls at the end of the title row. */
  readonly actions?: ReactNode
  readonly className?: string
  /** Whether the content fills the card to its edges, as for tables. */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

export function Card({ title, actions, className, isFlush = false, children }: CardProps) {
  return (
    <section
      className={classNames('min-w-0 rounded-xl border border-line bg-surface shadow-lift', className)}
    >
      {title !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3.5 pb-1">
          <h2 className="min-w-0 text-[0.9375rem] font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      <div className={isFlush ? '' : 'px-4 py-3.5'}>{children}</div>
    </section>
  )
}

interface DetailsProps {
  readonly rows: readonly (readonly [label: string, value: ReactNode])[]
  readonly columns?: 1 | 2
}

/** Names and values, one under the other. */
export function DetailList({ rows, columns = 1 }: DetailsProps) {
  return (
    <dl className={classNames('grid gap-x-8 gap-y-2', columns === 2 && 'sm:grid-cols-2')}>
      {rows.map(([label, value]) => (
        <div key={label} className="grid grid-cols-[minmax(7rem,38%)_1fr] gap-3">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words [&_time]:whitespace-normal">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
