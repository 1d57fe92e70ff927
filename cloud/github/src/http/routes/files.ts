import { onlyBranch, type RepositoryFile } from '../../workflows/repository-files.ts';
import { GitHubError, notFound } from '../responses.ts';
import { levelIn } from './levels.ts';
import { json, type Route, type RouteAnswer, type RouteCall } from './route.ts';

const docs = 'rest/repos/contents';
const path = '/repos/{owner}/{repo}/contents/{path}';

/** docs.github.com, "REST API endpoints for repository contents". The path is one segment, as octokit writes it. */
export const fileRoutes: readonly Route[] = [
  { method: 'GET', path, docs: `${docs}#get-repository-content`, access: 'contents', resource: 'core', answer: read },
  {
    method: 'PUT',
    path,
    docs: `${docs}#create-or-update-file-contents`,
    access: 'contents',
    resource: 'core',
    answer: write,
  },
  { method: 'DELETE', path, docs: `${docs}#delete-a-file`, access: 'contents', resource: 'core', answer: remove },
];

/** A file, or the files of a folder. */
function read(call: RouteCall): RouteAnswer {
  const { host, params, query } = call;
  onBranch(query.get('ref') ?? onlyBranch);
  const file = host.files.get(levelIn(call), params.path!);
  if (file !== undefined) return json(200, { ...present(call, file), ...contentOf(file) });
  const within = host.files.within(levelIn(call), params.path!);
  if (within.length === 0) throw notFound();
  return json(
    200,
    within.map((one) => present(call, one)),
  );
}

const contentOf = ({ content }: RepositoryFile) => ({ encoding: 'base64', content: content.toString('base64') });

function write(call: RouteCall): RouteAnswer {
  const { host, params, body } = call;
  const known = changed(call);
  const content = Buffer.from(String(body.content), 'base64');
  const file = host.files.put(levelIn(call), params.path!, content);
  return json(known === undefined ? 201 : 200, { content: present(call, file), commit: {} });
}

function remove(call: RouteCall): RouteAnswer {
  if (changed(call) === undefined) throw notFound();
  call.host.files.delete(levelIn(call), call.params.path!);
  return json(200, { content: null, commit: {} });
}

/** The file that is changed: its caller must know what it changes. */
function changed(call: RouteCall): RepositoryFile | undefined {
  const { host, params, body } = call;
  onBranch(String(body.branch ?? onlyBranch));
  const known = host.files.get(levelIn(call), params.path!);
  if (known !== undefined && body.sha === undefined)
    throw new GitHubError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (body.sha !== undefined && body.sha !== known?.sha)
    throw new GitHubError(409, `${params.path} does not match ${body.sha}`);
  return known;
}

function onBranch(branch: string): void {
  if (branch !== onlyBranch) throw new GitHubError(404, `Branch ${branch} not found`);
}

function present(call: RouteCall, { path: name, sha, content }: RepositoryFile) {
  const [repository, address] = [levelIn(call), encodeURI(name)];
  const url = `${call.api}/repos/${repository}/contents/${address}?ref=${onlyBranch}`;
  const git = `${call.api}/repos/${repository}/git/blobs/${sha}`;
  const html = `${call.site}/${repository}/blob/${onlyBranch}/${address}`;
  return {
    type: 'file',
    size: content.length,
    name: name.split('/').at(-1),
    path: name,
    sha,
    url,
    git_url: git,
    html_url: html,
    download_url: `${call.site}/${repository}/raw/${onlyBranch}/${address}`,
    _links: { self: url, git, html },
  };
}
