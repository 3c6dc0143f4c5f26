import type { AdminRequest } from '../../src/admin/admin-route.ts'

/** A request of the admin API by the admin token. */
export function createAdminRequest(parts: Partial<AdminRequest>): AdminRequest {
  return {
    params: {},
    query: {},
    body: undefined,
    address: '192.0.2.1',
    userAgent: '',
    isSecure: false,
    baseUrl: 'http://127.0.0.1:8080',
    principal: { type: 'admin-token' },
    ...parts,
  }
}
