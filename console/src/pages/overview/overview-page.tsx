import { useQuery } from '@tanstack/react-query'
import { usageReportSchema } from '../../../../src/admin/ledger/usage-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeShortCount, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

export function OverviewPage() {
  const usage = useQuery({
    queryKey: ['usage', 'totals'],
    queryFn: ({ signal }) => callApi({ path: '/usage', answer: usageReportSchema, signal }),
  })
  if (usage.isPending) return <Skeleton rows={4} />
  if (usage.isError) return <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
  const { requests, cost_usd, failed } = usage.data.totals
  return (
    <>
      <PageHeader title={t('nav.overview')} />
      <div className="grid gap-4 sm:grid-cols-3">
        <Card title={t('overview.requests')}>{writeShortCount(requests)}</Card>
        <Card title={t('overview.spend')}>{writeUsd(cost_usd)}</Card>
        <Card title={t('overview.failed')}>{writeShortCount(failed)}</Card>
      </div>
    </>
  )
}
