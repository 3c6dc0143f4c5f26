import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { useGroupNames, useUserNames } from '../../suggestions/people-names.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { FilterBar, FilterText } from '../../ui/filters.tsx'
import type { UsageSearchProps } from './usage-search.ts'

const none = {
  model: undefined,
  key: undefined,
  user: undefined,
  group: undefined,
  channel: undefined,
  tags: undefined,
}

export function UsageFilterBar({ search, onChange }: UsageSearchProps) {
  const { model, key, user, group, channel, tags } = search
  const { seesAll } = usePermissions()
  const models = usePublicModels()
  const groups = useGroupNames()
  const active = [model, key, user, group, channel, tags].filter((each) => each !== undefined).length
  return (
    <FilterBar
      active={active}
      onClear={() => onChange(none)}
      first={
        <FilterText
          label={t('requests.model')}
          value={model}
          suggestions={models}
          onChange={(next) => onChange({ model: next })}
          isSearch
        />
      }
    >
      <FilterText
        label={t('requests.key')}
        value={key}
        onChange={(next) => onChange({ key: next })}
        className="w-32"
      />
      {(seesAll || groups.length > 1) && (
        <FilterText
          label={t('requests.group')}
          value={group}
          suggestions={groups}
          onChange={(next) => onChange({ group: next })}
          className="w-32"
        />
      )}
      {seesAll && <InstallationFilters search={search} onChange={onChange} />}
      <FilterText
        label={t('usage.tags')}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
        className="w-40"
      />
    </FilterBar>
  )
}

/** The filters for users who see the whole installation. */
function InstallationFilters({ search: { user, channel }, onChange }: UsageSearchProps) {
  const users = useUserNames()
  return (
    <>
      <FilterText
        label={t('requests.user')}
        value={user}
        suggestions={users}
        onChange={(next) => onChange({ user: next })}
        className="w-32"
      />
      <FilterText
        label={t('requests.channel')}
        value={channel}
        onChange={(next) => onChange({ channel: next })}
        className="w-32"
      />
    </>
  )
}
