import { createEventStreamSink } from '../../pipeline/response/event-stream-sink.ts'
import type { ExchangeRoute } from '../route.ts'

/**
 * Bedrock's paths for conversations, which contain the name of the model
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, seen 2026-11-25).
 */
export function createBedrockRoutes(): readonly ExchangeRoute[] {
  return [createRoute('converse', false), createRoute('converse-stream', true)]
}

function createRoute(operation: string, isStream: boolean): ExchangeRoute {
  const format = 'bedrock-converse'
  return {
    type: 'exchange',
    method: 'POST',
    path: `/model/:model/${operation}`,
    policy: 'caller',
    format,
    readTerms: ({ params }) => ({
      format,
      terms: { model: params['model'] ?? '', isStream },
      wrapSink: isStream ? createEventStreamSink : undefined,
    }),
  }
}
