import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { type ApiError, hasProblem } from '../../api/api-error.ts'
import { t } from '../../language/language.ts'
import { settingsQuery } from '../../settings/settings-query.ts'

const adminSchema = z.object({ allow_private: z.boolean() })

/** Whether the file allows channels of the console to reach a private network. True until the settings are loaded. */
export function useMayReachPrivate(): boolean {
  const { data } = useQuery(settingsQuery)
  const admin = adminSchema.safeParse(data?.sections.find(({ name }) => name === 'admin')?.value)
  return !admin.success || admin.data.allow_private
}

/** Explains which field of the form has a refused address. The gateway's own message refers to the file. */
export function useExplainAddress(): (error: ApiError) => string | undefined {
  const mayReachPrivate = useMayReachPrivate()
  return (error) => {
    const { param } = error
    if (param === 'allow_private') return t('channels.private.off')
    if (param !== 'base_url' || !hasProblem(error, 'private_address')) return undefined
    return mayReachPrivate
      ? t('channels.private.tick', { label: t('channels.allow_private') })
      : t('channels.private.off')
  }
}
