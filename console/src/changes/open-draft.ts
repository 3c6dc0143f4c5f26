import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import {
  type DraftSummary,
  draftListSchema,
  draftSummarySchema,
  draftViewSchema,
} from '../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../api/call-api.ts'
import { lastingStorage } from '../browser/browser-storage.ts'
import { ChangeListeners } from '../browser/change-listeners.ts'
import { writeDay } from '../language/format.ts'
import { t } from '../language/language.ts'
import { nowMs } from '../time/clock.ts'
import { showToast } from '../ui/toasts.tsx'

/** A change of one object, as the routes of drafts and previews expect it. */
export interface ObjectChange {
  readonly kind:
    | ('channels' | 'models' | 'groups' | 'user-limits' | 'budgets')
    | ('settings' | 'alert-rules' | 'alert-receivers')
  readonly name: string
  /** An object that is created must have a free name. */
  readonly change: 'create' | 'replace' | 'patch' | 'remove'
  readonly object?: Readonly<Record<string, unknown>>
}

export const draftsQuery = queryOptions({
  queryKey: ['drafts', 'list'],
  queryFn: ({ signal }) => callApi({ path: '/drafts', answer: draftListSchema, signal }),
})

/** Reads what the draft would change and its effects. */
export function draftQuery(id: string) {
  return queryOptions({
    queryKey: ['drafts', 'one', id],
    queryFn: ({ signal }) =>
      callApi({ path: `/drafts/${encodeURIComponent(id)}`, answer: draftViewSchema, signal }),
  })
}

const listeners = new ChangeListeners()

/** Opens a draft: later changes are added to it. */
export function openDraft(id: string): void {
  lastingStorage.write('draft', id)
  listeners.notify()
}

/** The draft that changes are added to: the chosen draft, or else the last changed one. */
export function useOpenDraft(isEnabled: boolean): DraftSummary | undefined {
  const chosen = useSyncExternalStore(listeners.subscribe, () => lastingStorage.read('draft'))
  const { data } = useQuery({ ...draftsQuery, enabled: isEnabled })
  return findOpen(data?.data ?? [], chosen)
}

function findOpen(drafts: readonly DraftSummary[], chosen: string | undefined): DraftSummary | undefined {
  return drafts.find(({ id }) => id === chosen) ?? drafts[0]
}

/** Adds a change to the open draft. Creates a draft if none is open. */
export function useAddToDraft(): (change: ObjectChange) => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (change) => {
    const { id } = await findOrBegin(client)
    const draft = await sendChange(id, change)
    openDraft(id)
    await client.invalidateQueries({ queryKey: ['drafts'] })
    const run = () => void navigate({ to: '/drafts', search: { id } })
    showToast(t('drafts.added', { name: draft.name }), { action: { label: t('drafts.review'), run } })
  }
}

async function findOrBegin(client: QueryClient): Promise<DraftSummary> {
  const { data } = await client.fetchQuery({ ...draftsQuery, staleTime: 0 })
  const open = findOpen(data, lastingStorage.read('draft'))
  if (open !== undefined) return open
  const body = { name: t('drafts.unnamed', { date: writeDay(nowMs()) }) }
  return callApi({ method: 'POST', path: '/drafts', body, answer: draftSummarySchema })
}

const methods = { create: 'POST', replace: 'PUT', patch: 'PATCH', remove: 'DELETE' } as const

function sendChange(id: string, { kind, name, change, object }: ObjectChange): Promise<DraftSummary> {
  return callApi({
    method: methods[change],
    path: `/drafts/${encodeURIComponent(id)}/${kind}/${encodeURIComponent(name)}`,
    ...(change !== 'remove' && { body: object ?? {} }),
    answer: draftSummarySchema,
  })
}
