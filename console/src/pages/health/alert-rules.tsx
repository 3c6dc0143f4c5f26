import { useQuery } from '@tanstack/react-query'
import type { AlertRulesView, AlertRuleView } from '../../../../src/admin/alerts/alert-contract.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { findText, t } from '../../language/language.ts'
import { EditSetting } from '../../settings/edit-setting.tsx'
import { settingsQuery } from '../../settings/settings-query.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { AddAlertEntry, AlertEntryActions } from './alert-entry-actions.tsx'
import type { AlertPart } from './alert-entry-form.tsx'
import { alertRulesQuery } from './alert-queries.ts'
import { readRule } from './reread-alert-entries.ts'

export const rulePart: AlertPart = {
  kind: 'alert-rules',
  path: 'rules',
  word: 'kind',
  texts: 'rule',
  nameWord: (kind) => findText(`alerts.kind.${kind}`) ?? kind,
}

/** The rules that are on or off, and their owners. */
export function AlertRules() {
  const rules = useQuery(alertRulesQuery)
  const manages = useMay('PUT /alerts/rules/{name}')
  const { data } = rules
  return (
    <Card
      title={t('alerts.rules')}
      actions={
        data !== undefined && (
          <span className="flex flex-wrap items-center gap-2">
            <Badge>{t(`alerts.owner.${data.owner}`)}</Badge>
            {manages && data.owner !== 'file' && <AddAlertEntry part={rulePart} />}
          </span>
        )
      }
    >
      {rules.isPending && <Skeleton rows={4} />}
      {rules.isError && <ErrorState error={rules.error} onRetry={() => void rules.refetch()} />}
      {data !== undefined && <RuleList rules={data} manages={manages && data.owner !== 'file'} />}
    </Card>
  )
}

function RuleList({ rules, manages }: { readonly rules: AlertRulesView; readonly manages: boolean }) {
  const { data, written, owner, repeat } = rules
  const off = written.filter((rule) => rule['off'] === true)
  return (
    <>
      {owner === 'file' ? (
        <div className="mb-3">
          <OwnedByFile
            advice={t('alerts.rules.file')}
            document={{ alerts: { rules: written.length > 0 ? written : data } }}
          />
        </div>
      ) : (
        <p className="mb-3 max-w-3xl text-muted">{t(manages ? 'alerts.rules.api' : 'alerts.rules.view')}</p>
      )}
      <RepeatLine repeat={repeat} manages={manages} />
      <ul className="divide-y divide-line">
        {[...data, ...off].map((rule) => (
          <RuleItem
            key={rule.name}
            rule={rule}
            written={written.find(({ name }) => name === rule.name)}
            manages={manages}
          />
        ))}
      </ul>
    </>
  )
}

interface RepeatLineProps {
  readonly repeat: string
  readonly manages: boolean
}

/** The repeat interval of alerts, and its form. */
function RepeatLine({ repeat, manages }: RepeatLineProps) {
  const { data } = useQuery({ ...settingsQuery, enabled: manages })
  const section = data?.sections.find(({ name }) => name === 'alerts')
  return (
    <p className="mb-2 flex flex-wrap items-center gap-x-2 border-b border-line pb-2">
      {t('alerts.repeat', { repeat })}
      {manages && section !== undefined && <EditSetting section={section} isPart />}
    </p>
  )
}

interface RuleItemProps {
  readonly rule: AlertRuleView
  readonly written: AlertRuleView | undefined
  readonly manages: boolean
}

function RuleItem({ rule, written, manages }: RuleItemProps) {
  const { name, kind } = rule
  const isOff = rule['off'] === true
  const title = name === kind ? t(`alerts.kind.${kind}`) : `${t(`alerts.kind.${kind}`)}: ${name}`
  return (
    <li className="flex items-center gap-x-4 py-2">
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-1 sm:grid-cols-[14rem_minmax(0,1fr)]">
        <p className="font-medium break-words">
          {t(`alerts.kind.${kind}`)}
          {name !== kind && <span className="block font-normal text-muted">{name}</span>}
        </p>
        <p className="min-w-0 text-[0.8125rem]">
          {isOff ? (
            <Badge tone="warn">{t('alerts.rule.is_off')}</Badge>
          ) : (
            <span className="break-words">{describeTerms(rule) || t('alerts.rules.no_terms')}</span>
          )}
        </p>
      </div>
      {manages && (
        <AlertEntryActions
          part={rulePart}
          entry={readRule(rule, written)}
          title={title}
          isWritten={written !== undefined}
          isOff={isOff}
        />
      )}
    </li>
  )
}

/** The terms in words, with the labels of the rule's form. */
function describeTerms({ name: _, kind, ...terms }: AlertRuleView): string {
  return Object.entries(terms)
    .map(([term, value]) => {
      const label = findText(`settings.field.rule.${term}`) ?? term
      return `${label}: ${describeTerm(value, kind === 'error-rate' && (term === 'above' || term === 'below'))}`
    })
    .join(' · ')
}

function describeTerm(value: AlertRuleView[string], isShare: boolean): string {
  if (isShare) return `${String(value)}%`
  if (Array.isArray(value)) return value.map((each) => describeTerm(each, false)).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return findText(`settings.choice.${text}`) ?? text
}
