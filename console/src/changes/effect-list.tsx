import type { Effect, Effects } from '../../../src/admin/effects/effect-contract.ts'
import { t } from '../language/language.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { writeEffect } from './effect-words.ts'

const tones: Readonly<Record<Effect['severity'], Tone>> = { breaks: 'bad', changes: 'warn', adds: 'good' }

/** Lists the effects of a change, one per line, each with its severity as a word. */
export function EffectList({ effects, more_effects: more }: Effects) {
  if (effects.length === 0) return <p className="text-muted">{t('effect.none')}</p>
  return (
    <ul aria-label={t('effect.title')} className="space-y-2">
      {effects.map((effect) => (
        <li key={effect.text} className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-2">
          <span>
            <Badge tone={tones[effect.severity]}>{t(`effect.severity.${effect.severity}`)}</Badge>
          </span>
          <span className="min-w-0 break-words">{writeEffect(effect)}</span>
        </li>
      ))}
      {more > 0 && <li className="text-muted">{t('effect.more', { count: more })}</li>}
    </ul>
  )
}
