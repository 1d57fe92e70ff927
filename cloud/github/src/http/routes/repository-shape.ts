import type { RouteCall } from './route.ts';

/** Parts of a repository's address space, by the members that name them in a response ("Minimal Repository" in GitHub's description). */
const addresses: Readonly<Record<string, string>> = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  statuses_url: '/statuses/{sha}',
  trees_url: '/git/trees{/sha}',
};

/** Those that are named as their member. */
const plain =
  'contributors deployments downloads events forks hooks languages merges stargazers subscribers subscription tags teams';

export function presentRepository({ host, api, site }: RouteCall, fullName: string) {
  const url = `${api}/repos/${fullName}`;
  const [owner, name] = fullName.split('/');
  const at = (path: string) => `${url}${path}`;
  return {
    id: 1,
    node_id: 'R_1',
    name,
    full_name: fullName,
    private: true,
    fork: false,
    description: null,
    url,
    html_url: `${site}/${fullName}`,
    owner: presentOwner(`${api}/users/${owner}`, { login: owner ?? '', id: host.orgId, html: `${site}/${owner}` }),
    ...Object.fromEntries(Object.entries(addresses).map(([member, path]) => [member, at(path)])),
    ...Object.fromEntries(plain.split(' ').map((word) => [`${word}_url`, at(`/${word}`)])),
  };
}

function presentOwner(
  url: string,
  { login, id, html }: { readonly login: string; readonly id: number; readonly html: string },
) {
  const parts = 'followers repos organizations subscriptions received_events'.split(' ');
  return {
    login,
    id,
    node_id: `O_${id}`,
    avatar_url: `${html}.png`,
    gravatar_id: '',
    type: 'Organization',
    site_admin: false,
    url,
    html_url: html,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    events_url: `${url}/events{/privacy}`,
    ...Object.fromEntries(parts.map((part) => [`${part}_url`, `${url}/${part}`])),
  };
}
