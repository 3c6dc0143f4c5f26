import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { findProvider } from '../../../test/support/open-conversation-lane.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { heldParts } from '../../upstream/upstream-body.ts'
import { converseFormat } from '../../wire/converse/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { openCheckLane } from './open-check-lane.ts'

const guardrail = { guardrail_id: 'g', guardrail_version: '1' }

function openLane(
  id: 'bedrock' | 'vertex',
  format: typeof converseFormat | typeof messagesFormat,
  settings: Readonly<Record<string, string>> = {},
) {
  const { target } = createCandidate({ provider: id, format: format.id, settings })
  return openCheckLane({ target, provider: findProvider(id), format })
}

function bodyOf({ body }: ReturnType<typeof openLane>): JsonObject {
  return JSON.parse(Buffer.concat(heldParts(body)).toString())
}

describe('the request of a check', () => {
  it('has the shape that the path of the provider wants', () => {
    for (const id of ['bedrock', 'vertex'] as const) {
      const body = bodyOf(openLane(id, messagesFormat, { project: 'p', region: 'global' }))
      expect(body).not.toHaveProperty('model')
      expect(body).toHaveProperty('anthropic_version')
    }
  })

  it('asks for the guardrail of the channel, without which an account may refuse it', () => {
    expect(bodyOf(openLane('bedrock', converseFormat, guardrail))).toMatchObject({
      guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' },
    })
    expect(openLane('bedrock', messagesFormat, guardrail).headers).toEqual({
      'x-amzn-bedrock-guardrailidentifier': 'g',
      'x-amzn-bedrock-guardrailversion': '1',
    })
  })
})

it('reads the error of a check as the provider writes it', () => {
  const failure = openLane('bedrock', messagesFormat).readError({
    status: 400,
    headers: { 'x-amzn-errortype': 'ExpiredTokenException' },
    body: Buffer.from(JSON.stringify({ message: 'The security token is expired.' })),
  })
  expect(failure).toMatchObject({
    code: 'upstream_credential',
    upstream: { message: 'The security token is expired.' },
  })
})
