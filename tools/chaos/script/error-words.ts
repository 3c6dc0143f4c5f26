/** An error as both formats write it. */
export interface ErrorFields {
  readonly status: number
  readonly message: string
  /** The type in the chat format. */
  readonly type: string
  readonly code: string | null
  /** The type in the messages format. */
  readonly messagesType: string
}

/**
 * The shapes of a provider's error: the format's own; then an error that is a text, vLLM's `object: error`,
 * a bare code with its message, the other family's `type: error`, FastAPI's detail, MiniMax's `base_resp`; a page of a
 * proxy, plain text, and no body at all.
 */
export const errorShapes = [
  'own',
  'error-text',
  'object-error',
  'code-message',
  'type-error',
  'detail',
  'base-resp',
  'html',
  'text',
  'empty',
] as const
export type ErrorShape = (typeof errorShapes)[number]

export const errorNames = [
  'bad-request',
  'context-length',
  'content-policy',
  'credential',
  'out-of-credit',
  'out-of-credit-as-400',
  'out-of-credit-as-403',
  'out-of-credit-as-429',
  'forbidden',
  'model-missing',
  'request-timeout',
  'conflict',
  'too-large',
  'unprocessable',
  'rate-limit',
  'internal',
  'bad-gateway',
  'unavailable',
  'gateway-timeout',
  'overloaded',
] as const
export type ErrorName = (typeof errorNames)[number]

const creditGone = 'Your credit balance is too low to access the API. Please add credits to your account.'

/** The errors of both formats by their public references (OpenAI error codes, Anthropic errors; seen 2026-11-20). */
export const errorWords: Readonly<Record<ErrorName, ErrorFields>> = {
  'bad-request': {
    status: 400,
    message: "Invalid value for 'temperature': must be at most 2.",
    type: 'invalid_request_error',
    code: 'invalid_value',
    messagesType: 'invalid_request_error',
  },
  'context-length': {
    status: 400,
    message: "This model's maximum context length is 8192 tokens; the prompt is too long: 9000 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    messagesType: 'invalid_request_error',
  },
  'content-policy': {
    status: 400,
    message: 'The request was refused by the content policy of this service.',
    type: 'invalid_request_error',
    code: 'content_policy_violation',
    messagesType: 'invalid_request_error',
  },
  credential: {
    status: 401,
    message: 'Incorrect API key provided.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    messagesType: 'authentication_error',
  },
  'out-of-credit': {
    status: 402,
    message: 'Insufficient balance: payment required.',
    type: 'insufficient_quota',
    code: 'insufficient_balance',
    messagesType: 'billing_error',
  },
  'out-of-credit-as-400': {
    status: 400,
    message: creditGone,
    type: 'invalid_request_error',
    code: null,
    messagesType: 'invalid_request_error',
  },
  'out-of-credit-as-403': {
    status: 403,
    message: creditGone,
    type: 'permission_denied',
    code: null,
    messagesType: 'permission_error',
  },
  'out-of-credit-as-429': {
    status: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    messagesType: 'rate_limit_error',
  },
  forbidden: {
    status: 403,
    message: 'This key has no permission for the resource.',
    type: 'invalid_request_error',
    code: 'permission_denied',
    messagesType: 'permission_error',
  },
  'model-missing': {
    status: 404,
    message: 'The model does not exist, or this key has no access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
    messagesType: 'not_found_error',
  },
  'request-timeout': {
    status: 408,
    message: 'The request took too long to arrive.',
    type: 'timeout_error',
    code: 'request_timeout',
    messagesType: 'timeout_error',
  },
  conflict: {
    status: 409,
    message: 'The resource is in use by another request.',
    type: 'conflict_error',
    code: 'conflict',
    messagesType: 'invalid_request_error',
  },
  'too-large': {
    status: 413,
    message: 'The request is larger than 32 MB.',
    type: 'invalid_request_error',
    code: 'request_too_large',
    messagesType: 'request_too_large',
  },
  unprocessable: {
    status: 422,
    message: 'The field "messages" could not be processed.',
    type: 'invalid_request_error',
    code: 'unprocessable_entity',
    messagesType: 'invalid_request_error',
  },
  'rate-limit': {
    status: 429,
    message: 'Rate limit reached for requests per minute. Please try again later.',
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    messagesType: 'rate_limit_error',
  },
  internal: {
    status: 500,
    message: 'The server had an error while processing the request.',
    type: 'server_error',
    code: null,
    messagesType: 'api_error',
  },
  'bad-gateway': {
    status: 502,
    message: 'Bad gateway.',
    type: 'server_error',
    code: null,
    messagesType: 'api_error',
  },
  unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable.',
    type: 'server_error',
    code: 'service_unavailable',
    messagesType: 'api_error',
  },
  'gateway-timeout': {
    status: 504,
    message: 'The upstream server did not answer in time.',
    type: 'server_error',
    code: 'timeout',
    messagesType: 'timeout_error',
  },
  overloaded: {
    status: 529,
    message: 'The model is overloaded. Please try again.',
    type: 'overloaded_error',
    code: 'overloaded',
    messagesType: 'overloaded_error',
  },
}
