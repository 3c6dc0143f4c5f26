import { useQuery } from '@tanstack/react-query'
import type { PriceView, TargetPriceView } from '../../../../src/admin/prices/price-contract.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { pricesQuery } from './model-queries.ts'
import { listRates } from './price-words.ts'

/** The prices of each target of a name, with their sources and start dates. */
export function PriceList({ model }: { readonly model: string }) {
  const prices = useQuery(pricesQuery(model))
  if (prices.isPending) return <Skeleton rows={3} />
  if (prices.isError) return <ErrorState error={prices.error} onRetry={() => void prices.refetch()} />
  return (
    <section aria-label={t('models.prices')} className="space-y-3">
      <h3 className="font-medium">{t('models.prices')}</h3>
      <p className="text-muted">{t('models.prices.unit')}</p>
      {prices.data.map((target) => (
        <TargetPrice key={`${target.channel}/${target.upstream_model}`} target={target} />
      ))}
    </section>
  )
}

function TargetPrice({ target }: { readonly target: TargetPriceView }) {
  const { channel, upstream_model: upstream, in_force: price, others } = target
  return (
    <div className="space-y-2 rounded-lg border border-line px-3 py-2.5">
      <p className="font-medium break-words">
        {channel}/{upstream}
      </p>
      {price === null ? (
        <Banner tone="warn">{t('models.unpriced.why')}</Banner>
      ) : (
        <>
          <Source price={price} />
          <DetailList rows={listRates(price)} columns={2} />
        </>
      )}
      {others.length > 0 && (
        <details>
          <summary className="text-muted">{t('models.prices.others', { count: others.length })}</summary>
          <ul className="mt-2 space-y-2">
            {others.map((other) => (
              <li key={other.version} className="space-y-1">
                <Source price={other} />
                <DetailList rows={listRates(other)} columns={2} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Source({ price: { source, version, effective_from: from } }: { readonly price: PriceView }) {
  return (
    <p className="text-[0.8125rem] break-words text-muted">
      <Badge>{t(`models.price.source.${source}`)}</Badge>{' '}
      <span title={version}>{version.replace(/@configuration#.*$/, '')}</span>
      {from !== null && (
        <>
          {' · '}
          {t('models.price.from')} <TimeText at={from} style="day" />
        </>
      )}
    </p>
  )
}
