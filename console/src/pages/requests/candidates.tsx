import type { RequestDetailView } from '../../../../src/admin/requests/request-contract.ts'
import { nameReason } from '../../health/channel-health.ts'
import { t } from '../../language/language.ts'
import { nameCredential } from '../../routing/name-parts.ts'
import { Badge } from '../../ui/badge.tsx'

/** The plan of a request: the candidates in order, and the excluded ones with the reasons. */
export function Candidates({ candidates }: Pick<RequestDetailView, 'candidates'>) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('requests.plan')}</h3>
      <p className="mb-2 text-muted">{t('requests.plan.why')}</p>
      <ol className="space-y-1">
        {candidates.map(({ channel, upstream_model: model, credential, excluded }, index) => (
          <li key={`${channel} ${model} ${credential}`} className="flex flex-wrap items-center gap-2">
            <span className="w-5 text-right text-muted tabular-nums">{index + 1}</span>
            <span className={excluded === null ? '' : 'text-muted line-through'}>
              {channel}/{model}
            </span>
            {credential !== null && (
              <span className="text-xs text-muted" title={credential}>
                {nameCredential(credential)}
              </span>
            )}
            {excluded !== null && <Badge tone="warn">{nameReason(excluded)}</Badge>}
          </li>
        ))}
      </ol>
    </section>
  )
}
