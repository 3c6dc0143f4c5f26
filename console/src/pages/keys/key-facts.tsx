import { Link } from '@tanstack/react-router'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { t } from '../../language/language.ts'
import { writeCapture } from '../../settings/capture-text.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Absent, Code, TimeText } from '../../ui/text.tsx'
import { statusTones } from './status-tones.ts'

/** Names and times of a key. */
export function KeyFacts({ shown }: { readonly shown: KeyView }) {
  const { status, hint, group, user, created_at, expires_at, last_used_at, allow_ips, dry_run, passthrough } =
    shown
  const { previous_secret_until: previousUntil } = shown
  const capture = writeCapture(shown.capture)
  return (
    <DetailList
      rows={[
        [
          t('keys.status'),
          <StatusText key="status" tone={statusTones[status]}>
            {t(`keys.status.${status}`)}
          </StatusText>,
        ],
        [t('keys.hint'), hint === '' ? <Absent key="hint" /> : <Code key="hint">{hint}…</Code>],
        [
          t('keys.group'),
          group === null ? (
            <Absent key="group" />
          ) : (
            <Link key="group" to="/keys" search={{ group }} className="text-accent hover:underline">
              {group}
            </Link>
          ),
        ],
        [t('keys.user'), user ?? <Absent key="user" />],
        [t('keys.models'), <ModelList key="models" models={shown.models} />],
        [t('keys.created_at'), <TimeText key="created" at={created_at} />],
        [t('keys.life'), expires_at === null ? t('common.never') : <TimeText key="end" at={expires_at} />],
        [
          t('keys.last_used'),
          last_used_at === null ? (
            t('common.never')
          ) : (
            <TimeText key="used" at={last_used_at} style="distance" />
          ),
        ],
        ...(previousUntil === null
          ? []
          : [[t('keys.previous_until'), <TimeText key="previous" at={previousUntil} />] as const]),
        ...(allow_ips.length === 0 ? [] : [[t('keys.allow_ips'), allow_ips.join(', ')] as const]),
        ...(dry_run ? [[t('keys.dry_run'), t('common.yes')] as const] : []),
        ...(passthrough.length === 0 ? [] : [[t('keys.passthrough'), passthrough.join(', ')] as const]),
        ...(capture === undefined ? [] : [[t('capture.label'), capture] as const]),
        ...tagRows(shown),
      ]}
    />
  )
}

function tagRows({ tags }: KeyView) {
  const tagTexts = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  return tagTexts.length === 0 ? [] : [[t('keys.tags'), tagTexts.join(', ')] as const]
}

function ModelList({ models }: { readonly models: readonly string[] }) {
  if (models.length === 1 && models[0] === '*') return t('keys.models.all')
  return (
    <span className="flex flex-wrap gap-1">
      {models.map((model) => (
        <Badge key={model} isWhole>
          {model}
        </Badge>
      ))}
    </span>
  )
}
