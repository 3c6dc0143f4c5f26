import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import type { CreatedKey } from '../../../../src/admin/keys/key-contract.ts'
import type { Names } from '../../api/read-rows.ts'
import { Field } from '../../forms/field.tsx'
import { t } from '../../language/language.ts'
import { useCallerAddress } from '../../settings/caller-address.ts'
import { publicModelsQuery } from '../../suggestions/public-models.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CodeBlock, SecretOnce } from '../../ui/copy-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import {
  type ClientName,
  clientNames,
  clientTitles,
  keyLine,
  namesKeyItself,
  writeClientSettings,
} from './client-settings.ts'
import { useOwnKeys } from './connect-queries.ts'
import type { ConnectSearch } from './connect-search.ts'
import { FirstRequestLight } from './first-request-light.tsx'
import { MakeKey } from './make-key.tsx'
import { NameChoice } from './name-choice.tsx'

const noModels: Names = { rows: [], isComplete: true }

/** The settings of each client for this gateway, and whether its first request has arrived. */
export function ConnectPage() {
  const keys = useOwnKeys()
  const [made, setMade] = useState<CreatedKey>()
  return (
    <>
      <PageHeader title={t('nav.connect')} description={t('connect.description')} />
      {keys.isPending && <Skeleton rows={6} />}
      {keys.isError && <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data !== undefined && (
        <div className="space-y-4">
          {keys.data.rows.length === 0 && made === undefined && <MakeKey onMade={setMade} />}
          {made !== undefined && (
            <Card title={t('keys.created', { name: made.name })}>
              <SecretOnce secret={made.secret} label={t('keys.copy')} />
            </Card>
          )}
          <Connection keys={keys.data} />
        </div>
      )}
    </>
  )
}

function Connection({ keys }: { readonly keys: Names }) {
  const search = useSearch({ from: '/frame/connect' })
  const navigate = useNavigate({ from: '/connect' })
  const change = useCallback(
    (next: Partial<ConnectSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const knownAddress = useCallerAddress()
  const client = search.client ?? 'openai-ts'
  const key = choose(search.key, keys) ?? ''
  const catalog = useQuery(publicModelsQuery(key))
  const models = catalog.data ?? noModels
  const model = choose(search.model, models)
  const address = (search.address ?? knownAddress).replace(/\/+$/, '')
  return (
    <div className="grid gap-4 lg:grid-cols-[18rem_minmax(0,1fr)] lg:items-start">
      <Card title={t('connect.what')}>
        <div className="space-y-4">
          {key !== '' && (
            <NameChoice
              label={t('connect.key')}
              value={key}
              {...keys}
              onChange={(next) => change({ key: next, model: undefined })}
            />
          )}
          {catalog.isError ? (
            <ErrorState error={catalog.error} onRetry={() => void catalog.refetch()} />
          ) : catalog.data?.rows.length === 0 && key !== '' ? (
            <Banner tone="warn">{t('connect.no_models')}</Banner>
          ) : (
            <NameChoice
              key={key}
              label={t('connect.model')}
              value={model ?? ''}
              {...models}
              onChange={(next) => change({ model: next })}
            />
          )}
          <AddressInput
            value={search.address ?? knownAddress}
            onChange={(next) => change({ address: next === knownAddress ? undefined : next })}
          />
        </div>
      </Card>
      <div className="min-w-0 space-y-4">
        <ClientList chosen={client} onChoose={(next) => change({ client: next })} />
        <ClientCard client={client} address={address} model={model ?? 'demo-chat'} />
        {key !== '' && <FirstRequestLight key={key} chosenKey={key} />}
      </div>
    </div>
  )
}

/** The wanted name, or the first one if there is none of the wanted name. */
function choose(wanted: string | undefined, { rows, isComplete }: Names): string | undefined {
  if (wanted !== undefined && (!isComplete || rows.includes(wanted))) return wanted
  return rows[0]
}

interface AddressInputProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function AddressInput({ value, onChange }: AddressInputProps) {
  return (
    <Field label={t('connect.address')} hint={t('connect.address.hint')}>
      {(ties) => (
        <input
          {...ties}
          type="url"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          spellCheck={false}
          autoComplete="off"
          className="input-frame w-full"
        />
      )}
    </Field>
  )
}

interface ClientListProps {
  readonly chosen: ClientName
  readonly onChoose: (client: ClientName) => void
}

function ClientList({ chosen, onChoose }: ClientListProps) {
  return (
    <ul aria-label={t('connect.clients')} className="flex flex-wrap gap-2">
      {clientNames.map((client) => (
        <li key={client}>
          <button
            type="button"
            aria-pressed={client === chosen}
            onClick={() => onChoose(client)}
            className={classNames(
              'min-h-9 rounded-lg border px-3 font-medium transition-colors',
              client === chosen
                ? 'border-accent bg-accent-soft text-accent'
                : 'border-line-strong/60 bg-surface hover:bg-hover',
            )}
          >
            {clientTitles[client]}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface ClientCardProps {
  readonly client: ClientName
  readonly address: string
  readonly model: string
}

function ClientCard({ client, address, model }: ClientCardProps) {
  return (
    <Card title={clientTitles[client]}>
      <div className="space-y-4">
        <p className="max-w-3xl text-muted">{t(`connect.about.${client}`)}</p>
        {!namesKeyItself(client) && <Lines title={t('connect.key_line')} text={keyLine} />}
        {writeClientSettings(client, { address, model }).map(({ title, text }) => (
          <Lines key={title} title={title} text={text} />
        ))}
        <p className="text-[0.8125rem] text-muted">{t('connect.secret')}</p>
      </div>
    </Card>
  )
}

function Lines({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="space-y-1">
      <p className="text-[0.8125rem] font-medium text-muted">{title}</p>
      <CodeBlock text={text} label={title} />
    </div>
  )
}
