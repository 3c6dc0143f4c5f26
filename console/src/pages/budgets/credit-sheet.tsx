import { useQuery } from '@tanstack/react-query'
import type { CreditView, GrantView } from '../../../../src/admin/credits/credit-contract.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import { creditQuery } from './credit-queries.ts'
import { nameScope, shownReason } from './scope-words.ts'

interface CreditSheetProps {
  readonly owner: string
  readonly onGrant: () => void
  readonly onClose: () => void
}

/** The credit of one owner, with all of its grants. */
export function CreditSheet({ owner, onGrant, onClose }: CreditSheetProps) {
  const credit = useQuery(creditQuery(owner))
  const grants = useMay('POST /credits')
  return (
    <Dialog isOpen onClose={onClose} shape="side" title={t('credits.of', { owner: nameScope(owner) })}>
      {credit.isPending && <Skeleton rows={6} />}
      {credit.isError && <ErrorState error={credit.error} onRetry={() => void credit.refetch()} />}
      {credit.data === null && <EmptyState icon="budget" title={t('credits.none')} />}
      {credit.data !== undefined && credit.data !== null && (
        <div className="space-y-6">
          {grants && (
            <Button icon="plus" onClick={onGrant}>
              {t('credits.grant')}
            </Button>
          )}
          <CreditFacts credit={credit.data} />
          <GrantHistory grants={credit.data.grants} />
        </div>
      )}
    </Dialog>
  )
}

function CreditFacts({ credit }: { readonly credit: CreditView }) {
  const { remaining_usd: left, lapsed_usd: lapsed, next_lapse: next } = credit
  return (
    <section className="space-y-3">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-2xl font-semibold tabular-nums">{writeUsd(left)}</span>
        <span className="text-muted">{t('credits.left')}</span>
      </p>
      <DetailList
        rows={[
          [
            t('credits.next_lapse'),
            next === null ? (
              <Absent key="next" />
            ) : (
              <span key="next">
                {writeUsd(next.amount_usd)} · <TimeText at={next.at} />
              </span>
            ),
          ],
          [t('credits.lapsed'), <MoneyText key="lapsed" usd={lapsed} />],
        ]}
      />
    </section>
  )
}

/** The grants, the newest first. Grants are added and never changed. */
function GrantHistory({ grants }: { readonly grants: readonly GrantView[] }) {
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('credits.history')}</h3>
      <ol className="divide-y divide-line rounded-lg border border-line">
        {grants.toReversed().map((grant) => (
          <li key={grant.id} className="px-3 py-2">
            <p className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="font-medium tabular-nums">
                {grant.amount_usd > 0 ? '+' : ''}
                {writeUsd(grant.amount_usd)}
              </span>
              <TimeText at={grant.at} />
            </p>
            <p className="text-[0.8125rem] break-words text-muted">
              {[shownReason(grant.reason), writeAuthor({ author: grant.author_fact })]
                .filter((each) => each !== '')
                .join(' · ')}{' '}
              {grant.code_id !== null && <Badge tone="accent">{t('credits.from_code')}</Badge>}
            </p>
            {grant.expires_at !== null && (
              <p className="text-[0.8125rem] text-muted">
                {t('credits.expires')} <TimeText at={grant.expires_at} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
