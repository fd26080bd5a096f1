"""Presets allow what the package managers are configured with, by name, and nothing else."""

import json
import os
import pwd
import shutil
import tempfile

import pytest

import names as lab_names
import sandbox

USER = pwd.getpwnam("www-data")
SCRIPT = {
    "registry.test A": ["registry.test 300 A 10.66.0.2"],
    "evil.test A": ["evil.test 300 A 10.66.0.3"],
}
POLICY = """
[egress]
presets = ["npm"]
[egress.resolve]
allow_private = ["registry.test"]
"""
TOKEN = "npm_1f6d-never-to-be-seen"


@pytest.fixture(scope="module")
def names(lab, tmp_path_factory):
    made = lab_names.Names(lab.host, tmp_path_factory.mktemp("names"), SCRIPT)
    yield made
    made.close()


@pytest.fixture
def project(lab):
    """USER's folder, with a policy and an .npmrc that only USER can read."""
    with tempfile.TemporaryDirectory() as folder:
        npmrc = (f"registry=http://me:{TOKEN}@registry.test:{lab.allowed.port}/{TOKEN}/\n"
                 f"//registry.test:{lab.allowed.port}/:_authToken={TOKEN}\n")
        for name, text in {"policy.toml": POLICY, ".npmrc": npmrc}.items():
            path = os.path.join(folder, name)
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, 0o600)
            os.chown(path, USER.pw_uid, USER.pw_gid)
        shutil.copy(sandbox.INSIDE, folder)
        os.chmod(os.path.join(folder, "inside.py"), 0o644)
        os.chown(folder, USER.pw_uid, USER.pw_gid)
        yield folder


def environment(**more):
    """Without the configuration of whoever runs the tests."""
    dropped = ("npm_", "pip_", "sudo_")
    return {**{k: v for k, v in os.environ.items() if not k.lower().startswith(dropped)}, **more}


@pytest.fixture
def users_box(open_box, names, project):
    env = environment(SUDO_UID=str(USER.pw_uid), SUDO_GID=str(USER.pw_gid), SUDO_USER=USER.pw_name)
    return open_box(options=["--policy", "policy.toml"], env=env, tmp=project,
                    prefix=[*names.prefix(), "env", "-C", project],
                    command=["/usr/bin/python3", "-B", "inside.py"])


def test_npm_reaches_its_registry_by_name_and_no_other(lab, users_box):
    port = lab.allowed.port
    reached = lab.evil.counts()
    assert users_box.do("resolve", name="registry.test")["addresses"] == ["10.66.0.2"]
    assert users_box.do("connect", address="registry.test", port=port, echo=True)["echo"] is True
    assert users_box.do("connect", address="10.66.0.2", port=port + 1)["errno"] == "EPERM"
    assert users_box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert users_box.do("resolve", name="evil.test")["addresses"] == []
    assert lab.evil.counts() == reached
    listed = users_box.list()
    (rule,) = listed["rules"]
    assert rule["text"] == f"registry.test:{port}"
    assert rule["source"]["detail"] == "preset npm, .npmrc"
    assert TOKEN not in json.dumps(listed)


def test_check_says_what_a_run_would_allow(lab, project):
    env = environment(SUDO_UID=str(USER.pw_uid), SUDO_GID=str(USER.pw_gid), SUDO_USER=USER.pw_name)
    done = sandbox.sluice("check", "policy.toml", "--json", cwd=project, env=env)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["names"] == ["registry.test"] and answer["problems"] == []
    os.unlink(os.path.join(project, ".npmrc"))
    os.mkfifo(os.path.join(project, ".npmrc"))
    answer = json.loads(sandbox.sluice("check", "policy.toml", "--json", cwd=project, env=env).stdout)
    assert answer["ok"] and answer["names"] == []
    texts = [p["text"] for p in answer["problems"]]
    assert any(".npmrc: not a regular file" in text for text in texts), texts
    assert any("it allows nothing" in text for text in texts), texts


def test_a_ceiling_that_others_can_write_stops_a_run(lab, names, tmp_path):
    """The host's files are a copy in the test's own /etc."""
    folder = names.etc / "sluice/policy.d"
    folder.mkdir(parents=True)
    file = folder / "deny.toml"
    file.write_text('[baseline]\ndeny = ["10.66.0.2"]\n')
    run = ("run", "--name", sandbox.new_name(), "--allow", "10.66.0.2:1", "--", "true")
    try:
        file.chmod(0o666)
        done = sandbox.sluice(*run, space=lab.host, prefix=names.prefix())
        assert done.returncode == 2 and "deny.toml: error: can be written by others" in done.stderr, done
        assert "chmod go-w '/etc/sluice/policy.d/deny.toml'" in done.stderr
        file.chmod(0o644)
        done = sandbox.sluice(*run, space=lab.host, prefix=names.prefix())
        assert done.returncode == 0, done.stderr
    finally:
        shutil.rmtree(names.etc / "sluice")
