import { queryOptions } from '@tanstack/react-query'
import { settingsViewSchema } from '../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../api/call-api.ts'

/** The settings in force. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => callApi({ path: '/settings', answer: settingsViewSchema, signal }),
})
