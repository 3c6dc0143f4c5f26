import { z } from 'zod'

export const settingsTabs = ['running', 'settings', 'versions'] as const

/** The part of the settings that is in view, and the version that is open, as the address holds them. */
export const settingsSearchSchema = z.object({
  tab: z.enum(settingsTabs).optional().catch(undefined),
  q: z.string().optional().catch(undefined),
  owner: z.enum(['file', 'api', 'environment', 'default']).optional().catch(undefined),
  version: z.number().int().positive().optional().catch(undefined),
})

export type SettingsSearch = z.output<typeof settingsSearchSchema>
