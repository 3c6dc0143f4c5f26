import { liveRoutes } from '../sockets/live-handler.ts'
import { realtimeRoute } from '../sockets/realtime-handler.ts'
import { ResponsesSession } from '../sockets/responses-session.ts'
import type { SocketRoute } from '../sockets/socket-options.ts'

/** The operations that callers may use over WebSocket. */
export const callerSocketRoutes: readonly SocketRoute[] = [
  {
    path: '/v1/responses',
    policy: 'caller',
    format: 'responses',
    open: (admitted, connection, options) => new ResponsesSession(admitted, connection, options),
  },
  realtimeRoute,
  ...liveRoutes,
]
