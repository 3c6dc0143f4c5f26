import type { ErrorRow } from './error-row.ts'

/** The errors of a request that occur before any channel is asked. */
export const requestErrors = {
  missing_api_key: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message: 'No API key was sent. Send it as "Authorization: Bearer <key>" or "x-api-key: <key>".',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message:
      'The API key is not valid: it is unknown, revoked, disabled or expired. Check it, or ask the operator of this gateway for a new one.',
  },
  conflicting_api_keys: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message: 'Two different valid API keys were sent in one request. Send one.',
  },
  ip_not_allowed: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message: 'This API key may not be used from your address. Ask the operator to add it to the key.',
  },
  object_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'This key has no such file or batch: it was never there, was deleted, or has expired.',
  },
  dry_run_not_permitted: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message:
      'This API key may not use "x-headgate-dry-run". Leave the header out, or ask the operator to set dry_run: true on the key.',
  },
  admin_only: {
    status: 401,
    type: 'authentication',
    retry: 'never',
    blame: 'caller',
    message:
      'Sign in, or send a token or the admin token as "Authorization: Bearer <token>". The session may be over, or the token revoked.',
  },
  operation_not_supported: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'No channel of this model can do what was asked. Use a model that can, or ask the operator of this gateway for one.',
  },
  passthrough_not_permitted: {
    status: 403,
    type: 'permission',
    retry: 'never',
    blame: 'caller',
    message:
      'This API key may not ask this channel under /passthrough, or there is no such channel. Ask the operator to name the channel in "passthrough" of the key, and of its group where it has one.',
  },
  model_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message: 'There is no such model here. GET /v1/models lists the models that this key may use.',
  },
  key_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no key with this id or name. "headgate keys list" and GET /admin/v1/keys list the keys.',
  },
  key_rotated: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The key was rotated at the same moment by another request, so that it has a new secret already. Use that one, or rotate the key again.',
  },
  request_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'The request log has no request with this id; it may be too old, or have ended this moment. GET /admin/v1/requests lists them.',
  },
  certification_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is no certification with this id; older ones go as newer ones of the same channel and model come. GET /admin/v1/certifications lists them.',
  },
  certification_in_progress: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'A certification of this channel and model is in progress. Wait for its end, or cancel it: "headgate certify CHANNEL --last" shows it.',
  },
  path_not_found: {
    status: 404,
    type: 'not-found',
    retry: 'never',
    blame: 'caller',
    message:
      'There is nothing at this path. The base address for the OpenAI SDK ends in /v1, for the Anthropic SDK it does not.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'This path does not support this method; the Allow header lists those that it supports.',
  },
  request_timeout: {
    status: 408,
    type: 'timeout',
    retry: 'caller',
    blame: 'caller',
    message: 'The request did not arrive in time. Send it again.',
  },
  name_taken: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'There is a key with this name already. Choose another name, or revoke that key first.',
  },
  key_in_file: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This key belongs to the configuration file. Change it there, then reload the gateway (SIGHUP) or restart it.',
  },
  request_too_large: {
    status: 413,
    type: 'too-large',
    retry: 'never',
    blame: 'caller',
    message: 'The request body is larger than this gateway accepts.',
  },
  expectation_failed: {
    status: 417,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The header "Expect" asks for something else than "100-continue". Leave it out.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body must be sent as "Content-Type: application/json", without a content encoding.',
  },
  malformed_request: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The request is not well-formed HTTP.',
  },
  invalid_json: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is not valid JSON.',
  },
  body_not_object: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body must be a JSON object.',
  },
  invalid_utf8: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is not valid UTF-8.',
  },
  json_too_complex: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body holds more JSON values than this gateway accepts.',
  },
  json_too_deep: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'The body is nested too deeply.',
  },
  duplicate_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A field is present more than once in the body, letter case aside. Send it once.',
  },
  missing_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A required field is missing.',
  },
  invalid_field: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message: 'A field has a value that is not allowed.',
  },
  field_not_allowed: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This field would steer the request past the gateway, so the channel does not allow it. Leave it out.',
  },
  idempotency_conflict: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The "idempotency-key" of this request was used with another request of this API key. Send the same request again, or this one with an idempotency key of its own.',
  },
  idempotency_in_progress: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The request with this "idempotency-key" is in progress, and its answer can no longer be shared: it is too long, or another process still makes it. Read it where it was asked for, or send another idempotency key.',
  },
  media_unavailable: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The channel for this model accepts files only as bytes, not by address, and a file of this request could not be fetched. Send it as a data: URL, or as its bytes in base64.',
  },
  cannot_be_carried: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The channel for this model speaks another format, which has no place for this field. Leave the field out; where the message says that strict translation was asked for, "x-headgate-strict" may be left out instead.',
  },
  thread_unsupported: {
    status: 400,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The channel for this model keeps no conversations. Send the whole conversation without "thread".',
  },
} as const satisfies Record<string, ErrorRow>
