import type { LossView } from '../../../src/admin/requests/loss-contract.ts'
import { findText } from '../language/language.ts'
import { Badge } from '../ui/badge.tsx'

/** The losses of a translation, one per line. A word of a later gateway is shown as it is. */
export function TranslationLosses({ losses }: { readonly losses: readonly LossView[] }) {
  return (
    <ul className="space-y-1">
      {losses.map(({ feature, kind, field }) => (
        <li key={`${feature} ${kind} ${field}`} className="flex flex-wrap gap-2">
          <Badge tone="warn">{findText(`loss.kind.${kind}`) ?? kind}</Badge>
          <span>{findText(`loss.feature.${feature}`) ?? feature}</span>
          {field !== null && <code className="text-muted">{field}</code>}
        </li>
      ))}
    </ul>
  )
}
