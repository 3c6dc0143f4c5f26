import { type Query, type QueryClient, queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import {
  linkViewSchema,
  type MeWithOperations,
  meSchema,
  meWithOperationsSchema,
  signedOutSchema,
  userViewSchema,
} from '../../../src/admin/people/people-contract.ts'
import { tabStorage } from '../browser/browser-storage.ts'
import { MINUTE_MS } from '../time/time-units.ts'
import { hasCode } from './api-error.ts'
import { callApi } from './call-api.ts'
import { announceUser } from './other-tabs.ts'

/** The signed-in user. Null if nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  async queryFn({ signal, client, queryKey }): Promise<MeWithOperations | null> {
    try {
      const me = await callApi({ path: '/me', answer: meWithOperationsSchema, signal })
      if (client.getQueryData<MeWithOperations | null>(queryKey)?.name !== me.name) announceUser()
      forgetOtherUser(me, client)
      return me
    } catch (error) {
      if (hasCode(error, 'admin_only')) return null
      throw error
    }
  },
  staleTime: MINUTE_MS,
  // Another user may have signed in while the browser did not run this tab.
  refetchOnWindowFocus: 'always',
})

export interface Credentials {
  readonly name: string
  readonly password: string
  readonly code?: string | undefined
}

export async function signIn(credentials: Credentials, client: QueryClient): Promise<void> {
  await callApi({ method: 'POST', path: '/sign-in', body: credentials, answer: meSchema })
  await client.fetchQuery({ ...meQuery, staleTime: 0 })
}

/**
 * Clears what another user read and typed in this tab. That user's session has ended without a sign-out in this tab, so
 * that the user may continue after signing in again.
 */
function forgetOtherUser({ name }: MeWithOperations, client: QueryClient): void {
  const previousUser = tabStorage.read('user')
  if (previousUser === name) return
  tabStorage.clear()
  tabStorage.write('user', name)
  if (previousUser === undefined) return
  void client.resetQueries({ predicate: isOfUser })
}

/** Whether a query reads what the signed-in user may see. The query of the user decides which page is shown. */
function isOfUser({ queryKey: [name] }: Query): boolean {
  return name !== meQuery.queryKey[0]
}

/** Ends the session and clears all data that was read and typed in it. */
export async function signOut(client: QueryClient): Promise<void> {
  await callApi({ method: 'POST', path: '/sign-out', body: {}, answer: signedOutSchema })
  // Without its query, the frame would not see that the user is gone and would go on to show the page.
  client.setQueryData(meQuery.queryKey, null)
  client.removeQueries({ predicate: isOfUser })
  client.getMutationCache().clear()
  tabStorage.clear()
  announceUser()
}

export async function reauthenticate(
  credentials: Omit<Credentials, 'name'>,
  client: QueryClient,
): Promise<void> {
  await callApi({ method: 'POST', path: '/reauthenticate', body: credentials, answer: meSchema })
  await client.fetchQuery({ ...meQuery, staleTime: 0 })
}

export function showLink(secret: string) {
  return callApi({ method: 'POST', path: '/links/show', body: { secret }, answer: linkViewSchema })
}

export interface Acceptance {
  readonly secret: string
  readonly name?: string | undefined
  readonly password: string
}

export function acceptLink(acceptance: Acceptance) {
  return callApi({ method: 'POST', path: '/links/accept', body: acceptance, answer: userViewSchema })
}

/** The schema of a response whose content is not used. */
export const anyAnswerSchema = z.unknown()
