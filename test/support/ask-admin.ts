import { testAdminToken } from './start-gateway.ts'

export interface AdminAnswered {
  readonly status: number
  readonly body: unknown
  /** The body as received. */
  readonly text: string
  readonly etag: string | null
}

export interface AdminAsk {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

export type AskAdmin = (method: string, path: string, ask?: AdminAsk) => Promise<AdminAnswered>

/** Requests of the admin API of a gateway, over a real socket. `path` is what follows `/admin/v1`. */
export function createAskAdmin(url: string, gatewayToken = testAdminToken): AskAdmin {
  return async (method, path, { body, headers = {}, token = gatewayToken } = {}) => {
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed: unknown = JSON.parse(text)
    return { status: response.status, body: parsed, text, etag: response.headers.get('etag') }
  }
}
