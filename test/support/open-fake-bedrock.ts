import {
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './scripted-upstream.ts'
import { findSignatureFault } from './verify-aws-signature.ts'

/** The access key of AWS's own examples. */
export const bedrockKeys = {
  accessKeyId: 'AKIDEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session-token-of-these-keys==',
} as const
export const bedrockToken = 'bedrock-api-key-0123456789abcdef'
export const bedrockRegion = 'eu-west-3'

export interface BedrockCall {
  /** The model as it was named, decoded. */
  readonly model: string
  readonly operation: 'converse' | 'converse-stream' | 'invoke' | 'invoke-with-response-stream'
  readonly body: unknown
  readonly request: RecordedRequest
}

/**
 * A service that answers callers that sign with its keys, or have its token, and refuses all others as the real one
 * does.
 */
export function openFakeBedrock(answer: (call: BedrockCall) => ScriptedAnswer): Promise<ScriptedUpstream> {
  return openScriptedUpstream((request) => {
    const fault = findFault(request)
    if (fault !== undefined) return refuse(403, 'InvalidSignatureException', fault)
    const path = /^\/model\/([^/?]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/.exec(
      request.path,
    )
    const operations = ['converse', 'converse-stream', 'invoke', 'invoke-with-response-stream'] as const
    const operation = operations.find((name) => name === path?.[2])
    if (operation === undefined) return refuse(404, 'UnknownOperationException', request.path)
    const model = decodeURIComponent(path?.[1] ?? '')
    return answer({ model, operation, body: JSON.parse(request.body.toString('utf8')), request })
  })
}

function findFault(request: RecordedRequest): string | undefined {
  const { authorization } = request.headers
  if (authorization?.startsWith('Bearer ') === true)
    return authorization === `Bearer ${bedrockToken}` ? undefined : 'another token'
  const token = request.headers['x-amz-security-token']
  if (token !== undefined && token !== bedrockKeys.sessionToken) return 'another session'
  return findSignatureFault(request, { ...bedrockKeys, service: 'bedrock', region: bedrockRegion })
}

export function refuse(status: number, type: string, message: string): ScriptedAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    },
    chunks: [JSON.stringify({ message })],
  }
}

export function streamAnswer(...chunks: readonly (Buffer | Promise<unknown>)[]): ScriptedAnswer {
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks }
}
