import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../language/language.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { lastRequestQuery } from './connect-queries.ts'

interface LightProps {
  /** The name of a key. */
  readonly chosenKey: string
}

/** A light that turns green once a request of the key has succeeded. */
export function FirstRequestLight({ chosenKey }: LightProps) {
  const last = useQuery(lastRequestQuery(chosenKey))
  return (
    <Card title={t('connect.light')}>
      {last.isPending && <Skeleton rows={1} />}
      {last.isError && <ErrorState error={last.error} onRetry={() => void last.refetch()} />}
      {last.data === null && (
        <Lamp look="bg-line-strong animate-pulse-soft" title={t('connect.light.waiting', { key: chosenKey })}>
          {t('connect.light.waiting.advice')}
        </Lamp>
      )}
      {last.data != null && <Seen request={last.data} />}
    </Card>
  )
}

interface SeenProps {
  readonly request: {
    readonly request_id: string
    readonly ended_at: string
    readonly status: number
    readonly error: string | null
    readonly model: string | null
  }
}

function Seen({ request: { request_id: id, ended_at: at, status, error, model } }: SeenProps) {
  const isGood = status < 400 && error === null
  return (
    <Lamp
      look={isGood ? 'bg-good-solid' : 'bg-bad-solid'}
      title={isGood ? t('connect.light.good') : t('connect.light.bad', { status, error: error ?? '' })}
    >
      {model !== null && <code>{model}</code>} <TimeText at={at} style="distance" /> ·{' '}
      <code className="break-all">{id}</code>
      {!isGood && (
        <Link to="/requests/$id" params={{ id }} className="block text-accent hover:underline">
          {t('connect.light.bad.advice')}
        </Link>
      )}
    </Lamp>
  )
}

interface LampProps {
  readonly look: string
  readonly title: string
  readonly children: ReactNode
}

function Lamp({ look, title, children }: LampProps) {
  return (
    <div role="status" className="flex items-start gap-3">
      <span aria-hidden="true" className={classNames('mt-1 size-4 shrink-0 rounded-full', look)} />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-[0.8125rem] text-muted">{children}</p>
      </div>
    </div>
  )
}
