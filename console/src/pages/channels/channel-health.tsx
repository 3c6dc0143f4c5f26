import { useQuery } from '@tanstack/react-query'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import type { HealthView } from '../../../../src/admin/health-contract.ts'
import { describeReason, healthQuery, stateTones } from '../../health/channel-health.ts'
import { writeListFault } from '../../health/list-fault.ts'
import type { HealthLine } from '../../health/sum-up-health.ts'
import { writeCount, writeDuration } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameCredential } from '../../routing/name-parts.ts'
import { StatusText } from '../../ui/badge.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'

/** The circuit breakers and cooldowns of a channel, its credentials and its models, and the channel's load. */
export function ChannelHealth({ shown: { name, disabled } }: { readonly shown: ChannelView }) {
  const health = useQuery(healthQuery)
  if (health.isPending) return <Skeleton rows={3} />
  if (health.isError) return <ErrorState error={health.error} onRetry={() => void health.refetch()} />
  const lines = health.data.data.filter(({ channel }) => channel === name)
  const load = health.data.channels.find((each) => each.name === name)
  return (
    <section aria-label={t('channels.health')} className="space-y-3">
      <h3 className="font-medium">{t('channels.health')}</h3>
      {disabled && <Banner tone="warn">{t('channels.disabled.why')}</Banner>}
      {lines.length === 0 ? (
        <p className="text-muted">{t('channels.health.unused')}</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {lines.map((line) => (
            <LineItem key={`${line.scope} ${line.credential} ${line.upstream_model}`} line={line} />
          ))}
        </ul>
      )}
      {load !== undefined && <Load load={load} />}
    </section>
  )
}

function LineItem({ line }: { readonly line: HealthLine }) {
  const { scope, credential, upstream_model: model, state, since, calls, failures } = line
  const reason = describeReason(line)
  const subject = [model, credential && nameCredential(credential)]
    .filter((each) => each !== null)
    .join(' · ')
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="break-words first-letter:uppercase">
          {(scope !== 'credential' || credential === null) && (
            <span className="text-muted">{t(`health.scope.${scope}`)} </span>
          )}
          {subject}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {t('health.calls', { count: calls, failures })}
          {since !== null && (
            <>
              {' · '}
              {t('health.since')} <TimeText at={since} style="distance" />
            </>
          )}
        </p>
      </div>
      <div className="text-right">
        <StatusText tone={stateTones[state]}>{t(`health.state.${state}`)}</StatusText>
        {reason !== undefined && <p className="text-[0.8125rem] text-muted">{reason}</p>}
      </div>
    </li>
  )
}

function Load({ load }: { readonly load: HealthView['channels'][number] }) {
  const { calls_in_flight: calls, concurrency, models_list: list, checks, models } = load
  const measured = models.filter(
    ({ stream_ms: stream, whole_ms: whole }) => stream !== null || whole !== null,
  )
  return (
    <>
      {list?.error != null && (
        <Banner tone="warn">
          {t('channels.list_failed', { error: writeListFault({ message: list.error, fact: list.fact }) })}
        </Banner>
      )}
      <DetailList
        rows={[
          [
            t('channels.in_flight'),
            concurrency === null ? writeCount(calls) : `${writeCount(calls)} / ${writeCount(concurrency)}`,
          ],
          ...measured.map(
            ({ upstream_model: model, stream_ms: stream, whole_ms: whole }) =>
              [
                model,
                [
                  ...(stream === null ? [] : [t('channels.first_content', { time: writeDuration(stream) })]),
                  ...(whole === null ? [] : [t('channels.whole', { time: writeDuration(whole) })]),
                ].join(' · '),
              ] as const,
          ),
          [
            t('channels.checks'),
            checks === null ? t('channels.checks.off') : <Checks key="checks" checks={checks} />,
          ],
        ]}
      />
    </>
  )
}

function Checks({ checks }: { readonly checks: NonNullable<HealthView['channels'][number]['checks']> }) {
  if (checks.length === 0) return <Absent />
  return (
    <ul>
      {checks.map(({ credential, outcome, cause, fact, at }) => (
        <li key={`${credential} ${at}`}>
          {credential !== null && nameCredential(credential)} {t(`channels.check.${outcome}`)}{' '}
          <TimeText at={at} style="distance" />
          {cause !== null && (
            <span className="text-muted"> · {writeListFault({ message: cause, fact })}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
