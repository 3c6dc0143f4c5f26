/** Refusals that say more than their error codes, by the codes of their facts. Each is a whole statement. */
export const refusalMessages = {
  'refusal.code_unknown': 'There is no such code. Check each character.',
  'refusal.code_redeemed': 'This code was redeemed already. Each gives its credit once.',
  'refusal.code_revoked': 'This code was revoked.',
  'refusal.code_expired': 'This code has expired.',
  'refusal.disabled_channel': 'A disabled channel cannot be tried.',
  'refusal.rule_has_default': 'The rule has its default, so there is nothing to delete. Turn it off instead.',
  'refusal.only_for_managers': 'Only those who manage the group see its members. Ask one of them.',
  'refusal.own_key_needs_group':
    'A key of yours has a group and a user. Name another of your groups, or revoke the key.',
  'refusal.in_no_group':
    'You are in no group, which says what a key may use. Ask an owner or an admin to add you to one.',
  'refusal.only_for_people': 'A person does this, signed in with a password. A token cannot.',
  'refusal.only_for_users':
    'This is for a user who is signed in. The admin token and services have no password and no sessions.',
  'refusal.only_for_administrators':
    'Only an owner or an admin makes tokens for programs. Leave this out for one of your own.',
  'refusal.only_on_this_machine': 'This answers only on the machine of the gateway itself.',
  'refusal.role_requires_factor': 'Your role requires a second factor, so it cannot be turned off.',
  'refusal.session_lacks_code':
    'This session lacks the second factor. Enter the code that the authenticator app shows now.',
  'refusal.wrong_cursor': 'The list was sorted in another way in between. Load it again.',
  'refusal.wrong_version': 'The version that the change was made for is not a number.',
  'refusal.name_in_use': 'There is a {noun} {name} already. Choose another name.',
  'refusal.owned_by_file': 'The {noun} {name} belongs to the configuration file. Change it there and reload.',
  'refusal.retry_after': 'Try again in {seconds} s.',
  'refusal.configuration_moved':
    'The configuration is at version {newest} by now, and the change was made to version {base}.',
  'refusal.model_not_served': 'The channel {channel} does not serve the model {model}.',
  'refusal.models_over_limit':
    'The channel serves {count} models, and {maximum} can be certified at once. Name one.',
  'refusal.grants_over_limit': 'All grants together may be {maximum_usd} US dollars at most.',
  'refusal.groups_over_limit': 'The user {name} is in {maximum} groups already, which is the limit.',
  'refusal.not_in_group': 'The user {name} is not in the group {group}.',
  'refusal.group_has_keys':
    'The group {name} has keys that are not revoked: {count}. Give them another group or revoke them first.',
  'refusal.not_your_field':
    '{field} is not for you to set. Leave it out, or ask the manager of the group or an admin.',
  'refusal.not_your_group': 'You are not in the group {group}. Yours: {yours}.',
  'refusal.ends_too_late':
    'A key of this group ends at {at} at the latest. Give an earlier end, or ask the manager of the group or an admin.',
  'refusal.change_not_stored.disabled':
    'The key {name} is disabled from now on, but this could not be stored: after a restart the key would work again. The gateway keeps trying.',
  'refusal.change_not_stored.revoked':
    'The key {name} is revoked from now on, but this could not be stored: after a restart the key would work again. The gateway keeps trying.',
  'refusal.role_needed': 'This is for the role {allowed}. Yours is {own}. Ask an owner or an admin.',
  'refusal.scope_needed': 'This token lacks the scope {scope}.',
  'refusal.span_too_long': 'The span may be {days} days at most.',
  'refusal.not_counted_together': 'Requests are not counted by {fields} together. Leave one of them out.',
  'refusal.too_many_levels': 'The input is nested more than {maximum} levels deep.',
  'refusal.budget_without_values': 'The budget {name} has no values.',
  'refusal.channel_not_in_use': 'No channel {name} is in use.',
  'refusal.channel_without_models': 'The channel {name} serves no model at the moment.',
  'refusal.webhook_receiver':
    'The receiver {name} is the address of all alerts. Delete it, and make a receiver in its place.',
  'refusal.user_name_used':
    'There is or was a user {name}. Choose another name: keys, usage and the audit go by it.',
  'refusal.user_is_disabled':
    'The user {name} is disabled, so a new password would be of no use. Enable the user first.',
  'refusal.heir_is_disabled': 'The keys cannot be handed over to {name}, who is disabled.',
  'refusal.heir_is_the_same': 'The keys cannot be handed over to {name}, who is the same user.',
  'refusal.user_without_identity': 'The user {name} has no identity to unlink.',
  'refusal.only_your_keys':
    'You make keys of your own, {name}. The manager of a group makes keys for others.',
  'refusal.key_is_revoked': 'The key {name} is revoked, which cannot be undone. Make a new key.',
  'refusal.secret_in_use':
    'The secret of the key {name} belongs to another key already, perhaps a revoked one. Choose another secret.',
  'refusal.host_not_known':
    'The gateway is not known by the name {name}. Add it to admin.hosts in the configuration file.',
  'refusal.noun.channel': 'channel',
  'refusal.noun.model': 'model',
  'refusal.noun.group': 'group',
  'refusal.noun.user_limit': 'user limit',
  'refusal.noun.budget': 'budget',
  'refusal.noun.key': 'key',
  'refusal.noun.user': 'user',
  'refusal.noun.setting': 'setting',
  'refusal.noun.rule': 'rule',
  'refusal.noun.receiver': 'receiver',
} as const
