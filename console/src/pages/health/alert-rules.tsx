import { useQuery } from '@tanstack/react-query'
import type { AlertRuleView } from '../../../../src/admin/alerts/alert-contract.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { alertRulesQuery } from './alert-queries.ts'

/** The rules in force, in the words of the configuration, and who owns them. */
export function AlertRules() {
  const rules = useQuery(alertRulesQuery)
  return (
    <Card
      title={t('alerts.rules')}
      actions={rules.data !== undefined && <Badge>{t(`alerts.owner.${rules.data.owner}`)}</Badge>}
    >
      {rules.isPending && <Skeleton rows={4} />}
      {rules.isError && <ErrorState error={rules.error} onRetry={() => void rules.refetch()} />}
      {rules.data !== undefined && (
        <>
          <p className="mb-3 max-w-3xl text-muted">
            {rules.data.owner === 'file' ? t('alerts.rules.file') : t('alerts.rules.api')}
          </p>
          <dl className="divide-y divide-line">
            {rules.data.data.map((rule) => (
              <div key={rule.name} className="grid gap-x-4 gap-y-1 py-2 sm:grid-cols-[14rem_minmax(0,1fr)]">
                <dt className="font-medium break-words">
                  {t(`alerts.kind.${rule.kind}`)}
                  {rule.name !== rule.kind && <span className="block text-muted">{rule.name}</span>}
                </dt>
                <dd className="min-w-0 text-[0.8125rem]">
                  <code className="break-words">{describeTerms(rule) || t('alerts.rules.no_terms')}</code>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  )
}

function describeTerms({ name: _, kind: __, ...terms }: AlertRuleView): string {
  return Object.entries(terms)
    .map(([term, value]) => `${term}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
