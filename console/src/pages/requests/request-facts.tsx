import { Link } from '@tanstack/react-router'
import type { RequestDetailView } from '../../../../src/admin/requests/request-contract.ts'
import { writeBytes, writeCount, writeDuration } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameKey } from '../../routing/name-parts.ts'
import { DetailList } from '../../ui/card.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import type { RequestSearch } from './request-search.ts'

/** Names, times, tokens and money of a request. */
export function RequestFacts({ shown }: { readonly shown: RequestDetailView }) {
  return (
    <>
      <section>
        <h3 className="mb-2 font-semibold">{t('requests.money')}</h3>
        <DetailList rows={[...tokenRows(shown), ...moneyRows(shown)]} />
      </section>
      <section>
        <h3 className="mb-2 font-semibold">{t('common.details')}</h3>
        <DetailList rows={subjectRows(shown)} />
      </section>
    </>
  )
}

function tokenRows({ usage }: RequestDetailView) {
  if (usage === null) return [[t('requests.tokens'), <Absent key="tokens" />] as const]
  const classes = [
    ['usage.fresh_input', usage.fresh_input_tokens],
    ['usage.cache_read', usage.cache_read_tokens],
    ['usage.cache_write', usage.cache_write_short_tokens + usage.cache_write_long_tokens],
    ['usage.output', usage.output_tokens],
    ['usage.reasoning', usage.reasoning_tokens],
  ] as const
  const used = classes.filter(([name, count]) => count > 0 || name === 'usage.output')
  const rows = used.map(([name, count]) => [t(name), writeCount(count)] as const)
  return usage.estimated ? [...rows, [t('usage.estimated'), t('common.yes')] as const] : rows
}

function moneyRows({ cost_usd: cost, charged_usd: charged }: RequestDetailView) {
  const rows = [[t('requests.cost'), <MoneyText key="cost" usd={cost} />] as const]
  if (charged === null || charged === cost) return rows
  return [...rows, [t('requests.charged'), <MoneyText key="charged" usd={charged} />] as const]
}

function subjectRows(shown: RequestDetailView) {
  const { key, key_id: keyId, user, group, model, channel, upstream_model: upstream } = shown
  return [
    [t('requests.started'), <TimeText key="started" at={shown.started_at} />],
    [t('requests.total'), writeDuration(shown.total_ms)],
    [
      t('requests.first'),
      shown.first_content_ms === null ? <Absent key="first" /> : writeDuration(shown.first_content_ms),
    ],
    [
      t('requests.key'),
      <FilterLink key="key" text={key && nameKey(key)} search={{ key: keyId ?? undefined }} />,
    ],
    [t('requests.user'), user ?? <Absent key="user" />],
    [t('requests.group'), <FilterLink key="group" text={group} search={{ group: group ?? undefined }} />],
    [t('requests.model'), <FilterLink key="model" text={model} search={{ model: model ?? undefined }} />],
    [
      t('requests.channel'),
      <FilterLink key="channel" text={channel} search={{ channel: channel ?? undefined }} />,
    ],
    [t('requests.upstream_model'), upstream ?? <Absent key="upstream" />],
    [t('requests.path'), `${shown.method} ${shown.path}`],
    [t('requests.address'), shown.address],
    [t('requests.client'), shown.client ?? <Absent key="client" />],
    [t('requests.bytes'), `${writeBytes(shown.bytes_in)} → ${writeBytes(shown.bytes_out)}`],
  ] as const
}

interface FilterLinkProps {
  readonly text: string | null
  readonly search: RequestSearch
}

/** A link to the other requests with the same value. */
function FilterLink({ text, search }: FilterLinkProps) {
  if (text === null) return <Absent />
  return (
    <Link to="/requests" search={search} className="text-accent hover:underline">
      {text}
    </Link>
  )
}
