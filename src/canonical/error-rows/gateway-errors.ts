import type { ErrorRow } from './error-row.ts'

/** The errors of the gateway itself, or of the caller's connection to the gateway. */
export const gatewayErrors = {
  client_closed_request: {
    status: 499,
    type: 'api',
    retry: 'caller',
    blame: 'caller',
    message: 'The caller went away before the answer was complete.',
  },
  internal_error: {
    status: 500,
    type: 'api',
    retry: 'caller',
    blame: 'gateway',
    message: 'Something in the gateway failed. The operator finds the cause in the log under the request id.',
  },
  ledger_unavailable: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'operator',
    message:
      'What this request costs cannot be recorded at the moment: the store of the ledger does not answer. Try again soon; the log tells the operator why.',
  },
  report_too_slow: {
    status: 503,
    type: 'api',
    retry: 'never',
    blame: 'caller',
    message:
      'The report took longer than a report may take, and was stopped. Ask for a shorter time, or by days in place of hours.',
  },
  too_many_connections: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message: 'This gateway has reached its limit of connections. Try again soon.',
  },
  unknown_host: {
    status: 421,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'The header "Host" is a name by which the admin API is not known. Add it to admin.hosts in the configuration file.',
  },
  upgrade_required: {
    status: 426,
    type: 'invalid-request',
    retry: 'never',
    blame: 'caller',
    message:
      'This gateway does not accept this WebSocket connection. Send POST /v1/responses; with "stream": true the answer comes as server-sent events.',
  },
  websocket_connection_limit_reached: {
    status: 400,
    type: 'invalid-request',
    retry: 'caller',
    blame: 'caller',
    message:
      'This WebSocket connection is 60 minutes old, and accepts no more requests. Connect again to go on.',
  },
  out_of_descriptors: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message:
      'This gateway is out of file descriptors and cannot open a connection. Try again soon; the log tells the operator what to do.',
  },
  bodies_over_capacity: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message:
      'The bodies of the requests in progress fill the memory that this gateway allows them. Send the request again soon.',
  },
  answers_over_capacity: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message:
      'The answers in progress fill the memory that this gateway allows them. Send the request again soon.',
  },
  media_over_capacity: {
    status: 503,
    type: 'overloaded',
    retry: 'wait',
    blame: 'gateway',
    message:
      'The channel for this model accepts files only as bytes, not by address, and this gateway already fetches as many as it allows at once. Send the request again soon, or send the files as data: URLs.',
  },
  shutting_down: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'gateway',
    message: 'This gateway is shutting down. Send the request again.',
  },
  models_unknown: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'operator',
    message:
      'It is not known yet whether this model is served: the list of models of a provider could not be read. Try again soon. The operator finds the reason in the log and by "headgate health --channels", and can name the models in the configuration.',
  },
  backup_in_progress: {
    status: 409,
    type: 'invalid-request',
    retry: 'wait',
    blame: 'operator',
    message: 'Another backup is being made. Try again once it has ended.',
  },
  not_with_postgres: {
    status: 409,
    type: 'invalid-request',
    retry: 'never',
    blame: 'operator',
    message:
      'The installation is in PostgreSQL, which its own tools copy: pg_dump and pg_restore. docs/scaling.md has the commands. Keep HEADGATE_SECRET with the copy.',
  },
  store_unavailable: {
    status: 503,
    type: 'api',
    retry: 'wait',
    blame: 'operator',
    message: "The gateway's store cannot be used at the moment. The log says why.",
  },
} as const satisfies Record<string, ErrorRow>
