// Runs GitHub's own client of runner scale sets and its listener, unchanged, against the embedded code host. Each act is announced on
// standard output as a line of JSON; the test does the world's part of it and answers with a line on standard input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/actions/scaleset"
	"github.com/actions/scaleset/listener"
)

type settings struct {
	URL            string `json:"url"`
	Organization   string `json:"organization"`
	Repository     string `json:"repository"`
	Enterprise     string `json:"enterprise"`
	Token          string `json:"token"`
	AppID          string `json:"appId"`
	InstallationID int64  `json:"installationId"`
	PrivateKey     string `json:"privateKey"`
}

var (
	input  = bufio.NewReader(os.Stdin)
	output = json.NewEncoder(os.Stdout)
	ctx    = context.Background()
	quick  = []scaleset.HTTPOption{scaleset.WithRetryMax(1), scaleset.WithRetryWaitMax(10 * time.Millisecond)}
)

// tell announces something and waits until the world has done its part.
func tell(step string, value any) {
	check(output.Encode(map[string]any{"step": step, "value": value}))
	if _, err := input.ReadString('\n'); err != nil {
		fail("the test went away: %v", err)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func demand(holds bool, format string, values ...any) {
	if !holds {
		fail(format, values...)
	}
}

func main() {
	var given settings
	line := must(input.ReadString('\n'))
	check(json.Unmarshal([]byte(line), &given))

	levels(given)
	client := must(scaleset.NewClientWithPersonalAccessToken(scaleset.NewClientWithPersonalAccessTokenConfig{
		GitHubConfigURL:     given.URL + "/" + given.Organization,
		PersonalAccessToken: given.Token,
		SystemInfo:          scaleset.SystemInfo{System: "outside", Version: "1", Subsystem: "test"},
	}, quick...))
	set := sets(client)
	session := sessions(client, set)
	runner, acquired := messages(client, session, set)
	agents(client, session, runner)
	listen(client, session, set, acquired)
	end(client, session, set)
}

// levels: an app, a repository and an enterprise each get as far as the service.
func levels(given settings) {
	info := scaleset.SystemInfo{System: "outside", Version: "1", Subsystem: "test"}
	app := must(scaleset.NewClientWithGitHubApp(scaleset.ClientWithGitHubAppConfig{
		GitHubConfigURL: given.URL + "/" + given.Organization,
		GitHubAppAuth: scaleset.GitHubAppAuth{
			ClientID: given.AppID, InstallationID: given.InstallationID, PrivateKey: given.PrivateKey,
		},
		SystemInfo: info,
	}, quick...))
	must(app.GetRunnerGroupByName(ctx, scaleset.DefaultRunnerGroup))
	for _, path := range []string{given.Organization + "/" + given.Repository, "enterprises/" + given.Enterprise} {
		client := must(scaleset.NewClientWithPersonalAccessToken(scaleset.NewClientWithPersonalAccessTokenConfig{
			GitHubConfigURL: given.URL + "/" + path, PersonalAccessToken: given.Token, SystemInfo: info,
		}, quick...))
		must(client.GetRunnerGroupByName(ctx, scaleset.DefaultRunnerGroup))
	}
}

func sets(client *scaleset.Client) *scaleset.RunnerScaleSet {
	group := must(client.GetRunnerGroupByName(ctx, scaleset.DefaultRunnerGroup))
	demand(group.ID == 1 && group.IsDefault, "the default group is %+v", group)
	none := must(client.GetRunnerScaleSet(ctx, group.ID, "linux"))
	demand(none == nil, "found %+v before it was made", none)
	wanted := scaleset.RunnerScaleSet{
		Name:          "linux",
		RunnerGroupID: group.ID,
		Labels:        []scaleset.Label{{Name: "linux"}},
		RunnerSetting: scaleset.RunnerSetting{DisableUpdate: true},
	}
	made := must(client.CreateRunnerScaleSet(ctx, &wanted))
	_, err := client.CreateRunnerScaleSet(ctx, &wanted)
	demand(err != nil && strings.Contains(err.Error(), "RunnerScaleSetExistsException"), "a second set of the name: %v", err)
	found := must(client.GetRunnerScaleSet(ctx, group.ID, "linux"))
	read := must(client.GetRunnerScaleSetByID(ctx, made.ID))
	demand(found.ID == made.ID && read.Name == "linux" && read.Statistics != nil, "read %+v", read)
	_, err = client.GetRunnerScaleSetByID(ctx, 999)
	demand(err != nil && strings.Contains(err.Error(), "RunnerScaleSetNotFoundException"), "an unknown set: %v", err)
	return made
}

func sessions(client *scaleset.Client, set *scaleset.RunnerScaleSet) *scaleset.MessageSessionClient {
	session := must(client.MessageSessionClient(ctx, set.ID, "outside", quick...))
	_, err := client.MessageSessionClient(ctx, set.ID, "outside", quick...)
	demand(err != nil && strings.Contains(err.Error(), "409 Conflict"), "a second session: %v", err)
	demand(strings.Contains(err.Error(), "RunnerScaleSetSessionConflictException"), "a second session: %v", err)
	check(session.Close(ctx))
	err = session.Close(ctx)
	demand(err != nil && strings.Contains(err.Error(), "RunnerScaleSetSessionExpiredException"), "closed twice: %v", err)
	return must(client.MessageSessionClient(ctx, set.ID, "outside", quick...))
}

// messages: an empty poll, a job, redelivery, acquisition where it is needed, a runner for the job.
func messages(client *scaleset.Client, session *scaleset.MessageSessionClient, set *scaleset.RunnerScaleSet) (*scaleset.RunnerReference, bool) {
	tell("long poll", nil)
	empty := must(session.GetMessage(ctx, 0, 5))
	demand(empty == nil, "a message without a job: %+v", empty)

	tell("job", nil)
	first := must(session.GetMessage(ctx, 0, 5))
	again := must(session.GetMessage(ctx, 0, 5))
	demand(first.MessageID == again.MessageID, "message %d came as %d", first.MessageID, again.MessageID)
	tell("token expires", nil)
	check(session.DeleteMessage(ctx, first.MessageID))
	acquires := len(first.JobAvailableMessages) > 0
	if acquires {
		tell("token expires", nil)
		ids := must(session.AcquireJobs(ctx, []int64{first.JobAvailableMessages[0].RunnerRequestID}))
		demand(len(ids) == 1, "acquired %v", ids)
		first = must(session.GetMessage(ctx, first.MessageID, 5))
		check(session.DeleteMessage(ctx, first.MessageID))
	}
	demand(len(first.JobAssignedMessages) == 1 && first.Statistics.TotalAssignedJobs == 1, "assigned: %+v", first)

	setting := scaleset.RunnerScaleSetJitRunnerSetting{Name: "i-1", WorkFolder: "_work"}
	made := must(client.GenerateJitRunnerConfig(ctx, &setting, set.ID))
	_, err := client.GenerateJitRunnerConfig(ctx, &setting, set.ID)
	demand(errors.Is(err, scaleset.RunnerExistsError), "a second runner of the name: %v", err)
	tell("runner starts", made)
	tell("token expires", nil)
	started := must(session.GetMessage(ctx, first.MessageID, 5))
	demand(len(started.JobStartedMessages) == 1, "started: %+v", started)
	demand(started.JobStartedMessages[0].RunnerName == "i-1" && started.Statistics.TotalRunningJobs == 1, "started: %+v", started)
	check(session.DeleteMessage(ctx, started.MessageID))
	return made.Runner, acquires
}

func agents(client *scaleset.Client, session *scaleset.MessageSessionClient, runner *scaleset.RunnerReference) {
	read := must(client.GetRunner(ctx, runner.ID))
	demand(read.Name == "i-1" && read.RunnerScaleSetID == runner.RunnerScaleSetID, "read %+v", read)
	named := must(client.GetRunnerByName(ctx, "i-1"))
	demand(named.ID == runner.ID, "found %+v", named)
	none := must(client.GetRunnerByName(ctx, "i-none"))
	demand(none == nil, "found %+v", none)
	_, err := client.GetRunner(ctx, 999)
	demand(errors.Is(err, scaleset.RunnerNotFoundError), "an unknown runner: %v", err)
	err = client.RemoveRunner(ctx, int64(runner.ID))
	demand(errors.Is(err, scaleset.JobStillRunningError), "removing a busy runner: %v", err)
	tell("job completes", nil)
	message := must(session.GetMessage(ctx, 0, 5))
	demand(len(message.JobCompletedMessages) == 1, "completed: %+v", message)
	demand(message.JobCompletedMessages[0].Result == "succeeded", "completed: %+v", message.JobCompletedMessages[0])
	check(session.DeleteMessage(ctx, message.MessageID))
	check(client.RemoveRunner(ctx, int64(runner.ID)))
}

// scaler makes a runner for each job, as the example of the client does.
type scaler struct {
	client    *scaleset.Client
	set       int
	stop      context.CancelFunc
	runners   int
	counts    []int
	started   []string
	completed int
}

func (s *scaler) HandleDesiredRunnerCount(ctx context.Context, count int) (int, error) {
	s.counts = append(s.counts, count)
	for count > s.runners-s.completed {
		s.runners++
		setting := scaleset.RunnerScaleSetJitRunnerSetting{Name: fmt.Sprintf("i-%d", 1+s.runners), WorkFolder: "_work"}
		made, err := s.client.GenerateJitRunnerConfig(ctx, &setting, s.set)
		if err != nil {
			return 0, err
		}
		tell("runner starts", made)
	}
	return count, nil
}

func (s *scaler) HandleJobStarted(_ context.Context, job *scaleset.JobStarted) error {
	s.started = append(s.started, job.RunnerName)
	tell("job started", job.RunnerName)
	return nil
}

func (s *scaler) HandleJobCompleted(context.Context, *scaleset.JobCompleted) error {
	s.completed++
	if s.completed == 3 {
		s.stop()
	}
	return nil
}

// listen: three jobs through the client's own listener, which acknowledges before it handles.
func listen(client *scaleset.Client, session *scaleset.MessageSessionClient, set *scaleset.RunnerScaleSet, _ bool) {
	running, stop := context.WithCancel(ctx)
	handler := &scaler{client: client, set: set.ID, stop: stop}
	own := must(listener.New(session, listener.Config{ScaleSetID: set.ID, MaxRunners: 3}))
	tell("three jobs", nil)
	err := own.Run(running, handler)
	demand(errors.Is(err, context.Canceled), "the listener ended: %v", err)
	slices.Sort(handler.started)
	demand(slices.Equal(handler.started, []string{"i-2", "i-3", "i-4"}), "runners that had a job: %v", handler.started)
	demand(slices.Max(handler.counts) == 3, "counts: %v", handler.counts)
}

func end(client *scaleset.Client, session *scaleset.MessageSessionClient, set *scaleset.RunnerScaleSet) {
	check(session.Close(ctx))
	updated := must(client.UpdateRunnerScaleSet(ctx, set.ID, &scaleset.RunnerScaleSet{
		Name: "linux-2", RunnerGroupID: 1, Labels: []scaleset.Label{{Name: "linux-2"}},
	}))
	demand(updated.Name == "linux-2", "updated: %+v", updated)
	check(client.DeleteRunnerScaleSet(ctx, set.ID))
	tell("end", nil)
}
