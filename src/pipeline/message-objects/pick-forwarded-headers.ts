import { messagesFormat } from '../../wire/messages/format.ts'
import type { ObjectRequest } from '../exchange/caller-request.ts'

/** The caller's headers that are passed on: its version and betas, which change what the provider accepts. */
export function pickForwardedHeaders({ headers }: Pick<ObjectRequest, 'headers'>): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const name of messagesFormat.forwardedHeaders) {
    const value = headers[name]
    if (value !== undefined) forwarded[name] = [value].flat().join(', ')
  }
  return forwarded
}
