import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { type ExplainedRoute, explainedRouteSchema } from '../../../../src/admin/models/route-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeRequestError } from '../../api/describe-error.ts'
import { CheckInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import { nameReason } from '../../health/channel-health.ts'
import { writeDuration } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'
import { nameCredential } from '../../routing/name-parts.ts'
import { TranslationLosses } from '../../routing/translation-losses.tsx'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Code } from '../../ui/text.tsx'
import { type ModelSearch, modelSearchSchema, routeFormats } from './model-search.ts'

type RouteSearch = Pick<ModelSearch, 'model' | 'key' | 'format' | 'stream'>

interface RouteCardProps {
  readonly search: ModelSearch
  readonly onAsk: (search: RouteSearch) => void
}

/** The dry run: the current route of a request. No provider is called. */
export function RouteCard({ search, onAsk }: RouteCardProps) {
  return (
    <div className="grid gap-4 lg:grid-cols-[20rem_minmax(0,1fr)] lg:items-start">
      <Card title={t('models.route')}>
        <RouteForm search={search} onAsk={onAsk} />
      </Card>
      <Card title={t('models.route.result')}>
        {search.model === undefined ? (
          <EmptyState icon="share" title={t('models.route.none')}>
            {t('models.route.none.advice')}
          </EmptyState>
        ) : (
          <RouteResult search={search} model={search.model} />
        )}
      </Card>
    </div>
  )
}

function RouteForm({ search, onAsk }: RouteCardProps) {
  const [model, setModel] = useState(search.model ?? '')
  const [key, setKey] = useState(search.key ?? '')
  const [format, setFormat] = useState<string>(search.format ?? 'chat')
  const [stream, setStream] = useState(search.stream ?? false)
  const models = usePublicModels()
  const ask = (event: FormEvent) => {
    event.preventDefault()
    const words = { model: model.trim() || undefined, key: key.trim() || undefined, format }
    onAsk(
      modelSearchSchema
        .pick({ model: true, key: true, format: true, stream: true })
        .parse({ ...words, stream: stream || undefined }),
    )
  }
  const bind = <Value,>(name: string, value: Value, onChange: (value: Value) => void) => ({
    name,
    value,
    onChange,
    error: undefined,
  })
  return (
    <form onSubmit={ask} className="space-y-4">
      <TextInput
        field={bind('model', model, setModel)}
        label={t('models.name')}
        suggestions={models}
        placeholder="gpt-4o"
      />
      <TextInput
        field={bind('key', key, setKey)}
        label={t('models.route.key')}
        hint={t('models.route.key.hint')}
        isOptional
      />
      <SelectInput
        field={bind('format', format, setFormat)}
        label={t('models.route.format')}
        choices={routeFormats.map((value) => ({ value, label: value }))}
      />
      <CheckInput field={bind('stream', stream, setStream)} label={t('models.route.stream')} />
      <Button type="submit" variant="primary" icon="play">
        {t('models.route.ask')}
      </Button>
    </form>
  )
}

interface RouteResultProps {
  readonly search: RouteSearch
  readonly model: string
}

function RouteResult({ search: { key, format, stream }, model }: RouteResultProps) {
  const body = { model, key, format, stream }
  const route = useQuery({
    queryKey: ['route', body],
    queryFn: ({ signal }) =>
      callApi({ method: 'POST', path: '/route', body, answer: explainedRouteSchema, signal }),
    staleTime: 0,
  })
  if (route.isPending) return <Skeleton rows={3} />
  if (route.isError) return <ErrorState error={route.error} onRetry={() => void route.refetch()} />
  return <Route route={route.data} />
}

function Route({ route: { model, strategy, candidates, excluded } }: { readonly route: ExplainedRoute }) {
  return (
    <div className="space-y-4">
      <p className="text-muted">
        {t('models.route.strategy', { model, strategy: findText(`models.strategy.${strategy}`) ?? strategy })}
      </p>
      {candidates.length === 0 && <Banner tone="bad">{t('models.route.nowhere')}</Banner>}
      <ol className="space-y-2">
        {candidates.map((candidate, index) => (
          <Candidate
            key={`${candidate.public_name} ${candidate.channel} ${candidate.credential} ${candidate.upstream_model}`}
            candidate={candidate}
            position={index + 1}
            requestedModel={model}
          />
        ))}
      </ol>
      {excluded.length > 0 && <Excluded excluded={excluded} />}
    </div>
  )
}

type RouteError = NonNullable<ExplainedRoute['candidates'][number]['error']>

interface CandidateProps {
  readonly candidate: ExplainedRoute['candidates'][number]
  readonly position: number
  readonly requestedModel: string
}

function Candidate({ candidate, position, requestedModel }: CandidateProps) {
  const { channel, upstream_model: upstream, credential, public_name: name } = candidate
  const { lane, losses = [], error, probe } = candidate
  return (
    <li className="flex gap-3 rounded-lg border border-line px-3 py-2.5">
      <span className="font-medium text-muted tabular-nums">{position}</span>
      <div className="min-w-0 flex-1 space-y-1">
        <p className="font-medium break-words">
          {channel}/{upstream}
        </p>
        <p className="flex flex-wrap gap-1.5">
          {credential !== undefined && <Badge title={credential}>{nameCredential(credential)}</Badge>}
          {lane !== undefined && <Badge tone="accent">{findText(`lane.${lane}`) ?? lane}</Badge>}
          {name !== requestedModel && <Badge>{t('models.route.fallback', { name })}</Badge>}
          {probe && <Badge tone="warn">{t('models.route.probe')}</Badge>}
        </p>
        {losses.length > 0 && (
          <div className="space-y-1 text-[0.8125rem] break-words">
            <p className="text-warn">{t('requests.losses')}</p>
            <TranslationLosses losses={losses} />
          </div>
        )}
        {error !== undefined && <CandidateError error={error} />}
      </div>
    </li>
  )
}

/** The error of a candidate that cannot serve the request. The gateway's own sentence is in English. */
function CandidateError({ error: { code, message, param } }: { readonly error: RouteError }) {
  const meaning = writeRequestError(code, message)
  return (
    <div className="text-[0.8125rem] break-words text-bad">
      <p title={message}>{meaning}</p>
      {param !== undefined && meaning !== message && <Code>{param}</Code>}
    </div>
  )
}

function Excluded({ excluded }: Pick<ExplainedRoute, 'excluded'>) {
  return (
    <section aria-label={t('models.route.excluded')} className="space-y-2">
      <h3 className="font-medium">{t('models.route.excluded')}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {excluded.map(({ channel, upstream_model: upstream, credential, reason, for_seconds: seconds }) => (
          <li key={`${channel} ${upstream} ${credential}`} className="flex flex-wrap gap-x-3 px-3 py-2">
            <span className="min-w-0 flex-1 break-words">
              {channel}/{upstream}{' '}
              {credential !== undefined && <span title={credential}>{nameCredential(credential)}</span>}
            </span>
            <span className="text-muted">
              {nameReason(reason)}
              {seconds !== undefined && ` · ${writeDuration(seconds * 1_000)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
