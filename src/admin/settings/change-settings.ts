import type { AdminRequest, AdminRoute } from '../admin-route.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import { changeErrors, etagOf } from '../config/config-routes.ts'
import { changeObject, type ObjectChange } from '../config/object-edits.ts'
import { readConfigAuthor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import { changeSettingSchema, type SettingsView, settingsViewSchema } from './settings-contract.ts'

const settingErrors = [
  'body_not_object',
  'missing_field',
  'invalid_field',
  'config_object_not_found',
  ...changeErrors,
] as const

/** The routes that change a setting that applies without a restart, or reset it to its default. */
export function createSettingChanges(
  config: Pick<ConfigOperations, 'edit'>,
  view: () => SettingsView,
): readonly AdminRoute[] {
  const shared = {
    policy: { access: 'write', scope: 'config:write', fresh: true },
    path: '/admin/v1/settings/{name}',
    pathParameters: {
      name: 'retry, queue, recovery, heartbeat, limits, log, rate, unpriced, alerts or capture.',
    },
    answer: { status: 200, schema: settingsViewSchema },
  } as const
  const change = async (request: AdminRequest, order: Pick<ObjectChange, 'change' | 'object'>) => {
    const name = request.params['name'] ?? ''
    const by = readConfigAuthor(request)
    const state = await changeObject({ kind: 'settings', name, ...order }, config, by)
    return {
      status: 200,
      headers: etagOf(state),
      body: { ...view(), config_version: state.newest.number },
    }
  }
  const withValue = (how: 'replace' | 'patch') => ({
    ...shared,
    body: changeSettingSchema,
    errors: settingErrors,
    handler: (request: AdminRequest) => {
      const { value } = readInput(changeSettingSchema, request.body)
      return change(request, { change: how, object: { value } })
    },
  })
  return [
    {
      ...withValue('replace'),
      method: 'PUT',
      summary: 'Set a setting; the answer is all that are in force',
    },
    {
      ...withValue('patch'),
      method: 'PATCH',
      summary: 'Change some fields of a setting (RFC 7396); null leaves one to its default',
    },
    {
      ...shared,
      method: 'DELETE',
      summary: 'Leave a setting to its default',
      errors: ['config_object_not_found', ...changeErrors],
      handler: (request) => change(request, { change: 'remove', object: {} }),
    },
  ]
}
