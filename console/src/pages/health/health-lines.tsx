import { Link } from '@tanstack/react-router'
import { describeReason, stateTones } from '../../health/channel-health.ts'
import type { HealthLine } from '../../health/sum-up-health.ts'
import { useHealthReset } from '../../health/use-health-reset.ts'
import { findText, t } from '../../language/language.ts'
import { nameCredential } from '../../routing/name-parts.ts'
import { useMay } from '../../shell/use-me.ts'
import { StatusText } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { InParts } from '../../ui/in-parts.tsx'
import { TimeText } from '../../ui/text.tsx'

/** The impaired parts of channels, each with its reason, its remedy, and the button that resets the channel. */
export function HealthLines({ lines }: { readonly lines: readonly HealthLine[] }) {
  return (
    <InParts rows={lines}>
      {(line) => (
        <LineItem
          key={`${line.channel} ${line.scope} ${line.credential} ${line.upstream_model}`}
          line={line}
        />
      )}
    </InParts>
  )
}

function LineItem({ line }: { readonly line: HealthLine }) {
  const { channel, scope, credential, upstream_model: model, state, since, reason } = line
  const resets = useMay('POST /health/reset')
  const reset = useHealthReset(channel)
  const advice = reason === null ? undefined : findText(`health.advice.${reason}`)
  const words = describeReason(line)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64 space-y-0.5">
        <p className="break-words">
          <Link
            to="/channels/$name"
            params={{ name: channel }}
            search={{}}
            className="font-medium hover:underline"
          >
            {channel}
          </Link>{' '}
          <span className="text-muted">
            {(scope !== 'credential' || credential === null) && `${t(`health.scope.${scope}`)} `}
            {[model, credential && nameCredential(credential)].filter((each) => each !== null).join(' · ')}
          </span>
        </p>
        <p className="flex flex-wrap items-center gap-x-2">
          <StatusText tone={stateTones[state]}>{t(`health.state.${state}`)}</StatusText>
          {words !== undefined && <span>{words}</span>}
          {since !== null && (
            <span className="text-muted">
              {t('health.since')} <TimeText at={since} style="distance" />
            </span>
          )}
        </p>
        {advice !== undefined && <p className="text-[0.8125rem] text-muted">{advice}</p>}
      </div>
      {resets && (
        <Button isSmall icon="refresh" isBusy={reset.isPending} onClick={() => reset.mutate()}>
          {t('health.reset')}
        </Button>
      )}
    </li>
  )
}
