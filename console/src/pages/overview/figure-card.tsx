import { writeShare } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Icon } from '../../ui/icon.tsx'

interface FigureCardProps {
  readonly label: string
  readonly value: string
  /** The exact value, in the tooltip. */
  readonly title?: string
  readonly detail?: string
  /** The meaning of the detail, in the tooltip. */
  readonly detailTitle?: string
  /** The change from the previous span, as a share. */
  readonly change?: number | undefined
}

/** One figure in large letters. */
export function FigureCard({ label, value, title, detail, detailTitle, change }: FigureCardProps) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3 shadow-lift">
      <p className="truncate text-[0.8125rem] text-muted">{label}</p>
      <p className="mt-0.5 truncate text-2xl font-semibold tracking-tight tabular-nums" title={title}>
        {value}
      </p>
      <p className="mt-0.5 flex min-h-5 flex-wrap items-center gap-x-2 text-xs text-muted">
        {change !== undefined && <Change change={change} />}
        {detail !== undefined && <span title={detailTitle}>{detail}</span>}
      </p>
    </div>
  )
}

function Change({ change }: { readonly change: number }) {
  const signedShare = `${change >= 0 ? '+' : ''}${writeShare(change)}`
  return (
    <span className="inline-flex items-center gap-0.5" title={t('overview.change', { change: signedShare })}>
      <Icon name={change >= 0 ? 'up' : 'down'} className="size-3" />
      {signedShare}
    </span>
  )
}
