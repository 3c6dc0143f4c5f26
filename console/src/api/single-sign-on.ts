import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { meSchema, type UserView, userViewSchema } from '../../../src/admin/people/people-contract.ts'
import { begunSignOnSchema, signInMethodsSchema } from '../../../src/admin/sign-on/sign-on-contract.ts'
import { MINUTE_MS } from '../time/time-units.ts'
import { callApi } from './call-api.ts'
import { meQuery } from './session.ts'

/** Reads the ways to sign in. */
export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => callApi({ path: '/sign-in', answer: signInMethodsSchema, signal }),
  staleTime: MINUTE_MS,
})

/** Goes to the identity provider, to sign in or to accept the link of this secret. */
export async function goToProvider(body: {
  readonly link?: string
  readonly return_to?: string
}): Promise<void> {
  const { url } = await callApi({ method: 'POST', path: '/sign-in/oidc', body, answer: begunSignOnSchema })
  window.location.assign(url)
}

/** Goes to the identity provider to link an identity to the signed-in user. */
export async function goToLinkIdentity(): Promise<void> {
  const { url } = await callApi({ method: 'POST', path: '/me/identity', body: {}, answer: begunSignOnSchema })
  window.location.assign(url)
}

/** The address of the provider's page on which the user signs in again. */
export async function findReauthentication(): Promise<string> {
  const call = { method: 'POST', path: '/reauthenticate/oidc', body: {}, answer: begunSignOnSchema } as const
  return (await callApi(call)).url
}

export async function showCode(code: string, client: QueryClient): Promise<void> {
  await callApi({ method: 'POST', path: '/sign-in/code', body: { code }, answer: meSchema })
  await client.fetchQuery({ ...meQuery, staleTime: 0 })
}

export function unlinkIdentity({ id }: Pick<UserView, 'id'>): Promise<UserView> {
  const path = `/users/${encodeURIComponent(id)}/identity`
  return callApi({ method: 'DELETE', path, answer: userViewSchema })
}
