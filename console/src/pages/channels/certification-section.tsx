import { useQuery } from '@tanstack/react-query'
import type { CertificationView } from '../../../../src/admin/certification/certification-contract.ts'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { MoneyText, TimeText } from '../../ui/text.tsx'
import { BadgeLegend, BadgeRow } from './certification-badges.tsx'
import {
  certificationsQuery,
  isOpen,
  SHOWN_CERTIFICATIONS,
  useCancelling,
  useCertifying,
} from './certification-queries.ts'
import { CertificationResults } from './certification-results.tsx'
import { StartCertification } from './certification-start.tsx'

/** The certifications of a channel's models, and the buttons that start them. */
export function CertificationSection({ shown }: { readonly shown: ChannelView }) {
  const { name, disabled } = shown
  const newest = useQuery(certificationsQuery(name))
  if (newest.isPending) return <Skeleton rows={3} />
  if (newest.isError) return <ErrorState error={newest.error} onRetry={() => void newest.refetch()} />
  const found = newest.data.data
  return (
    <section aria-label={t('certification.title')} className="space-y-3">
      <div>
        <h3 className="font-medium">{t('certification.title')}</h3>
        <p className="text-[0.8125rem] text-muted">{t('certification.why')}</p>
      </div>
      {!disabled && <StartCertification channel={name} found={found} />}
      {found.length === 0 ? (
        <p className="text-muted">{t('certification.none')}</p>
      ) : (
        <>
          <BadgeLegend />
          <ul className="divide-y divide-line rounded-lg border border-line">
            {found.map((each) => (
              <Certified key={each.id} certification={each} channel={name} isServed={!disabled} />
            ))}
          </ul>
          {newest.data.next_before !== null && (
            <p className="text-muted">{t('certification.cut', { count: SHOWN_CERTIFICATIONS })}</p>
          )}
        </>
      )}
    </section>
  )
}

interface CertifiedProps {
  readonly certification: CertificationView
  readonly channel: string
  readonly isServed: boolean
}

/** One model: the time of its test, the findings as icons, and the details on demand. */
function Certified({ certification, channel, isServed }: CertifiedProps) {
  const {
    model,
    state,
    started_at: startedAt,
    author_fact: author,
    cost_usd: cost,
    results,
    checks,
  } = certification
  return (
    <li className="space-y-2.5 px-3 py-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="font-medium break-words">{model}</p>
          <p className="text-[0.8125rem] text-muted">
            {t(`certification.state.${state}`, { done: results.length, all: checks.length })}{' '}
            <TimeText at={startedAt} style="distance" /> · {writeAuthor({ author })}
            {cost !== null && (
              <>
                {' · '}
                <MoneyText usd={cost} />
              </>
            )}
          </p>
        </div>
        {isServed && <RowButton certification={certification} channel={channel} />}
      </div>
      <BadgeRow certification={certification} />
      <CertificationResults results={results} />
    </li>
  )
}

function RowButton({ certification, channel }: Omit<CertifiedProps, 'isServed'>) {
  const starts = useMay('POST /channels/{name}/certifications')
  const cancels = useMay('POST /certifications/{id}/cancel')
  const certifying = useCertifying(channel)
  const cancelling = useCancelling()
  if (isOpen(certification))
    return cancels ? (
      <Button
        isSmall
        icon="stop"
        isBusy={cancelling.isPending}
        onClick={() => cancelling.mutate(certification.id)}
      >
        {t('certification.cancel')}
      </Button>
    ) : null
  if (!starts) return null
  return (
    <Button
      isSmall
      icon="refresh"
      isBusy={certifying.isPending}
      onClick={() => certifying.mutate(certification.model)}
    >
      {t('certification.again')}
    </Button>
  )
}
