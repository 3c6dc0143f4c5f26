import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import { sumUpHealth } from '../../health/sum-up-health.ts'
import { writeCount, writeShare } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { planTiers, type Tier, type TierMember } from '../../routing/plan-tiers.ts'
import { Card } from '../../ui/card.tsx'
import type { LinesByChannel } from './channel-columns.tsx'
import { readChannelSettings } from './channel-settings.ts'

const WIDTH = 1_000
const HEIGHT = 36
const GAP = 4
const MAX_TIERS = 6
/** The first page of the list. With more, the picture would grow above the rows while they are scrolled. */
const MAX_CHANNELS = 100

interface Member extends TierMember {
  readonly name: string
  readonly state: 'good' | 'warn' | 'bad' | 'unused'
}

interface TierPictureProps {
  readonly channels: readonly ChannelView[]
  /** Whether the list has no other channels, without which the shares of the listed ones would be wrong. */
  readonly isComplete: boolean
  readonly lines: LinesByChannel
}

/**
 * The tiers of the listed channels. Each tier is a bar divided by the shares of requests, with names and shares
 * below.
 */
export function TierPicture({ channels, isComplete, lines }: TierPictureProps) {
  if (!isComplete || channels.length > MAX_CHANNELS)
    return (
      <Card title={t('channels.tiers')} className="mb-4">
        <p className="max-w-3xl text-muted">{t('channels.tiers.many', { count: MAX_CHANNELS })}</p>
      </Card>
    )
  const members = channels
    .filter(({ disabled }) => !disabled)
    .map((channel): Member => {
      const { priority, weight } = readChannelSettings(channel)
      return { name: channel.name, priority, weight, state: toneOf(lines.get(channel.name) ?? []) }
    })
  const tiers = planTiers(members)
  if (members.length < 2) return null
  return (
    <Card title={t('channels.tiers')} className="mb-4">
      <p className="mb-3 max-w-3xl text-muted">{t('channels.tiers.why')}</p>
      <ol className="space-y-3">
        {tiers.slice(0, MAX_TIERS).map((tier) => (
          <TierRow key={tier.priority} tier={tier} />
        ))}
      </ol>
      {tiers.length > MAX_TIERS && (
        <p className="mt-3 text-muted">{t('channels.tiers.more', { count: tiers.length - MAX_TIERS })}</p>
      )}
    </Card>
  )
}

function toneOf(lines: Parameters<typeof sumUpHealth>[0]): Member['state'] {
  const { state } = sumUpHealth(lines)
  if (state === 'unused') return 'unused'
  return state === 'healthy' ? 'good' : state === 'open' ? 'bad' : 'warn'
}

const fills = {
  good: 'fill-good-soft stroke-good-solid',
  warn: 'fill-warn-soft stroke-warn-solid',
  bad: 'fill-bad-soft stroke-bad-solid',
  unused: 'fill-accent-soft stroke-accent-solid',
} as const

function TierRow({ tier: { priority, members } }: { readonly tier: Tier<Member> }) {
  return (
    <li className="grid gap-x-4 gap-y-1 sm:grid-cols-[7rem_minmax(0,1fr)] sm:items-start">
      <p className="pt-2 font-medium">{t('channels.tier', { priority: writeCount(priority) })}</p>
      <div className="min-w-0">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="block h-6 w-full"
        >
          {members.map(({ member, share, start }) => (
            <rect
              key={member.name}
              x={start * WIDTH + GAP / 2}
              y={1}
              width={Math.max(1, share * WIDTH - GAP)}
              height={HEIGHT - 2}
              rx={4}
              strokeWidth={2}
              className={fills[member.state]}
            />
          ))}
        </svg>
        <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-[0.8125rem]">
          {members.map(({ member: { name }, share }) => (
            <li key={name} className="min-w-0 break-words">
              {name} <span className="text-muted tabular-nums">{writeShare(share)}</span>
            </li>
          ))}
        </ul>
      </div>
    </li>
  )
}
