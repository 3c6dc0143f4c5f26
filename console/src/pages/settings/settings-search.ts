import { z } from 'zod'

const settingsTabs = ['running', 'settings', 'versions'] as const

/** The shown part of the settings and the open version, as stored in the address. */
export const settingsSearchSchema = z.object({
  tab: z.enum(settingsTabs).optional().catch(undefined),
  q: z.string().optional().catch(undefined),
  owner: z.enum(['file', 'api', 'environment', 'default']).optional().catch(undefined),
  version: z.number().int().positive().optional().catch(undefined),
})

export type SettingsSearch = z.output<typeof settingsSearchSchema>
